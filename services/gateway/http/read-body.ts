import { AppError, shownValue } from '@yardarm/shared/errors';
import express, { type Request, type Response } from 'express';
import { contentTypeError } from './error-body.ts';

/** Bodies of the admin API are small documents; the public product takes 500 kB. */
export const defaultBodyLimitBytes = 500_000;

/** No document of ours is nested a tenth as deep; what parses deeper would overflow the stack where it is written out again. */
const deepestNesting = 100;

const parsers = new Map<number, ReturnType<typeof express.json>>();

/**
 * Reads the JSON body, bounded. Undefined when the request has none. Throws `content-type` for a body of another type,
 * `content-too-large`, and `validation` for JSON that is malformed, too deep, or holds text that cannot be stored: a NUL or half a
 * surrogate pair, which Postgres refuses.
 */
export async function readBody(request: Request, response: Response, limitBytes: number): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  const type = request.headers['content-type'];
  if (!request.is(['json', '+json'])) throw contentTypeError(type);
  let parse = parsers.get(limitBytes);
  if (!parse) {
    parse = express.json({ limit: limitBytes, strict: false, type: () => true });
    parsers.set(limitBytes, parse);
  }
  const parseBody = parse;
  await new Promise<void>((resolve, reject) => parseBody(request, response, (error?: unknown) => (error ? reject(error) : resolve())));
  refuseUnstorable(request.body, '', 0);
  return request.body;
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function refuseUnstorable(value: unknown, path: string, depth: number): void {
  if (depth > deepestNesting) throw new AppError('validation', `The request body is nested deeper than ${deepestNesting} levels.`);
  if (typeof value === 'string') {
    if (!isStorableText(value)) {
      throw new AppError('validation', `The ${path || 'request'} property should be well-formed text without NUL. You sent ${shownValue(value, [path])}.`);
    }
    return;
  }
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    if (!isStorableText(key)) throw new AppError('validation', `The property names of ${path || 'the body'} should be well-formed text without NUL.`);
    refuseUnstorable(inner, innerPath, depth + 1);
  }
}

/** Whether Postgres can store the text. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
