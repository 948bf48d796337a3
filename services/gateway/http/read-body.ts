import { AppError, refuseUnserializable } from '@yardarm/shared/errors';
import express, { type Request, type Response } from 'express';
import { contentTypeError, tooLargeError } from './error-body.ts';
import { readBytes } from './read-bytes.ts';
import type { Route } from './route.ts';

/** Bodies of the admin API are small documents. The public product accepts 500 kB. */
export const defaultBodyLimitBytes = 500_000;

/** The content types of the bodies that a route reads. Every PATCH of the public product is a JSON Patch (RFC 6902). */
export function bodyTypesOf({ method }: Pick<Route, 'method'>): string[] {
  return ['application/json', ...(method === 'patch' ? ['application/json-patch+json'] : [])];
}

/** By the limit in bytes. */
const parsers = new Map<number, ReturnType<typeof express.json>>();

/**
 * Reads the JSON body, or its bytes on a route that reads these; undefined without a body. Throws `content-type` for a
 * type that the route does not read, `content-too-large` (before it reads the body, by the content-length header), and
 * `validation` for malformed JSON and, unless the route drops them, for values that cannot be serialized.
 */
export async function readBody(
  request: Request,
  response: Response,
  route: Pick<Route, 'method' | 'bodyLimitBytes' | 'readsBytes' | 'dropsUnserializable'>,
): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  const limitBytes = route.bodyLimitBytes ?? defaultBodyLimitBytes;
  const types = bodyTypesOf(route);
  if (!request.is(types)) throw contentTypeError(request.headers['content-type'], types);
  if (Number(request.headers['content-length']) > limitBytes) throw tooLargeError(limitBytes);
  // The client waits for 100 Continue before it sends the body.
  if (request.headers.expect !== undefined) response.writeContinue();
  if (route.readsBytes) {
    requireUtf8(request);
    return readBytes(request, response, limitBytes);
  }
  const parse = parserOf(limitBytes);
  await new Promise<void>((resolve, reject) =>
    parse(request, response, (error?: unknown) => (error ? reject(error) : resolve())),
  );
  if (!route.dropsUnserializable) refuseUnserializable(request.body);
  return request.body;
}

function parserOf(limit: number): ReturnType<typeof express.json> {
  const known = parsers.get(limit);
  if (known) return known;
  const made = express.json({ limit, strict: false, type: () => true });
  parsers.set(limit, made);
  return made;
}

/** The parser of JSON decodes other charsets too. The bytes are passed on undecoded. */
function requireUtf8(request: Request): void {
  const charset = /;\s*charset="?([^\s";]*)/i.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return;
  throw new AppError('content-type', `The charset of the body should be UTF-8. You sent ${charset.slice(0, 100)}.`);
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
