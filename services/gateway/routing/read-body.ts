import type { ServerResponse } from 'node:http';
import { AppError, refuseUnserializable, requireJsonSize } from '@yardarm/shared/errors';
import type { TimeSlicer } from '@yardarm/shared/waiting';
import type { Request } from 'express';
import { defaultBodyBounds } from './body-bounds.ts';
import { acceptedBodies, contentTypeError, tooLargeError } from './error-body.ts';
import { decodeText, parseJson } from './json-text.ts';
import { parseInSlices } from './parse-in-slices.ts';
import { decompress, readBytes, readChunks } from './read-bytes.ts';
import type { Route, TakeChunk } from './route.ts';

/** Bodies of the admin API are small documents. The public product accepts 500 kB. */
export const defaultBodyLimitBytes = 500_000;

/** The content types of the bodies that a route reads. Every PATCH of the public product is a JSON Patch (RFC 6902). */
export function bodyTypesOf({ method }: Pick<Route, 'method'>): string[] {
  return ['application/json', ...(method === 'patch' ? ['application/json-patch+json'] : [])];
}

/** For what SDKs report, of which a part is better than nothing. */
const lenient = new TextDecoder();

type RouteOfBody = Pick<Route, 'method' | 'bodyLimitBytes' | 'bodyBounds' | 'dropsUnserializable'>;

/** Reads the whole body, maybe compressed; undefined without one. Throws what `readBodyInChunks` does. */
export async function readBody(
  request: Request,
  response: ServerResponse,
  route: RouteOfBody,
): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  return await readBytes(request, response, requireReadable(request, response, route));
}

/** Decompresses what `readBody` has read. Throws `content-too-large`, and `validation` for malformed bytes. */
export function decompressBody(
  sent: Buffer,
  request: Request,
  response: ServerResponse,
  { bodyLimitBytes = defaultBodyLimitBytes }: RouteOfBody,
): Promise<Buffer> {
  return decompress(sent, request, response, bodyLimitBytes);
}

/**
 * The value of a JSON body; undefined without one. Throws `validation` for JSON beyond the bounds of the route, for
 * malformed JSON and, unless the route drops them, for bytes that are no UTF-8 and values that cannot be serialized.
 */
export function parseBody(bytes: Buffer, route: RouteOfBody): unknown {
  return bytes.length === 0 ? undefined : serializable(parseJson(textOf(bytes, route)), route);
}

/** The same of a large body, between whose parts other requests run. */
export async function parseLargeBody(bytes: Buffer, route: RouteOfBody, slicer: TimeSlicer): Promise<unknown> {
  return serializable(await parseInSlices(textOf(bytes, route), slicer), route);
}

function textOf(bytes: Buffer, { bodyBounds = defaultBodyBounds, dropsUnserializable }: RouteOfBody): string {
  requireJsonSize(bytes, bodyBounds);
  return dropsUnserializable ? lenient.decode(bytes) : decodeText(bytes);
}

function serializable(value: unknown, { dropsUnserializable }: RouteOfBody): unknown {
  if (!dropsUnserializable) refuseUnserializable(value);
  return value;
}

/**
 * Reads the body while the route takes it, which is nothing without a body. Throws `content-type` for a type that the
 * route does not read, and `content-too-large`: by the content-length header before the body is read, else at the first
 * byte beyond the limit.
 */
export async function readBodyInChunks(
  request: Request,
  response: ServerResponse,
  route: RouteOfBody,
  take: TakeChunk,
): Promise<void> {
  if (hasBody(request)) await readChunks(request, response, requireReadable(request, response, route), take);
}

/** Returns the limit of the body in bytes. */
function requireReadable(request: Request, response: ServerResponse, route: RouteOfBody): number {
  const limitBytes = route.bodyLimitBytes ?? defaultBodyLimitBytes;
  const types = bodyTypesOf(route);
  if (!request.is(types)) throw contentTypeError(request.headers['content-type'], types);
  if (Number(request.headers['content-length']) > limitBytes) throw tooLargeError(limitBytes);
  // The client waits for 100 Continue before it sends the body.
  if (request.headers.expect !== undefined) response.writeContinue();
  requireUtf8(request);
  return limitBytes;
}

/** RFC 8259, 8.1: JSON between systems is UTF-8. */
function requireUtf8(request: Request): void {
  const charset = /;\s*charset="?([^\s";]*)/i.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return;
  const sent = charset.slice(0, 100);
  throw new AppError(
    'content-type',
    `The request body cannot be read: unsupported charset "${sent}". ${acceptedBodies}`,
  );
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
