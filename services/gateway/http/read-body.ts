import { refuseTooDeep } from '@yardarm/shared/errors';
import express, { type Request, type Response } from 'express';
import { contentTypeError, tooLargeError } from './error-body.ts';

/** Bodies of the admin API are small documents. The public product accepts 500 kB. */
export const defaultBodyLimitBytes = 500_000;

const parsers = new Map<number, ReturnType<typeof express.json>>();

/**
 * Reads the JSON body; undefined when the request has none. Throws `content-type` for another type, `content-too-large`
 * (before it reads the body, by the content-length header), and `validation` for malformed or too deeply nested JSON.
 */
export async function readBody(request: Request, response: Response, limitBytes: number): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  const type = request.headers['content-type'];
  if (!request.is(['json', '+json'])) throw contentTypeError(type);
  if (Number(request.headers['content-length']) > limitBytes) throw tooLargeError(limitBytes);
  // The client waits for 100 Continue before it sends the body.
  if (request.headers.expect !== undefined) response.writeContinue();
  let parse = parsers.get(limitBytes);
  if (!parse) {
    parse = express.json({ limit: limitBytes, strict: false, type: () => true });
    parsers.set(limitBytes, parse);
  }
  const parseBody = parse;
  await new Promise<void>((resolve, reject) =>
    parseBody(request, response, (error?: unknown) => (error ? reject(error) : resolve())),
  );
  refuseTooDeep(request.body);
  return request.body;
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
