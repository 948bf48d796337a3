import { refuseUnserializable } from '@yardarm/shared/errors';
import express, { type Request, type Response } from 'express';
import { contentTypeError, tooLargeError } from './error-body.ts';
import type { Route } from './route.ts';

/** Bodies of the admin API are small documents. The public product accepts 500 kB. */
export const defaultBodyLimitBytes = 500_000;

/** The content types of the bodies that a route reads. Every PATCH of the public product is a JSON Patch (RFC 6902). */
export function bodyTypesOf({ method }: Pick<Route, 'method'>): string[] {
  return ['application/json', ...(method === 'patch' ? ['application/json-patch+json'] : [])];
}

const parsers = new Map<number, ReturnType<typeof express.json>>();

/**
 * Reads the JSON body; undefined when the request has none. Throws `content-type` for a type that the route
 * does not read, `content-too-large` (before it reads the body, by the content-length header), and `validation` for
 * malformed or too deeply nested JSON.
 */
export async function readBody(
  request: Request,
  response: Response,
  route: Pick<Route, 'method' | 'bodyLimitBytes'>,
): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  const limitBytes = route.bodyLimitBytes ?? defaultBodyLimitBytes;
  const types = bodyTypesOf(route);
  if (!request.is(types)) throw contentTypeError(request.headers['content-type'], types);
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
  refuseUnserializable(request.body);
  return request.body;
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
