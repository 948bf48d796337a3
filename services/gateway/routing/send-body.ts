import type { ServerResponse } from 'node:http';
import { lingerAfter } from '../listener/connections.ts';
import { writeInTurns } from '../listener/write-in-turns.ts';
import type { Audience, Reply } from './route.ts';
import { countUntilRead } from './unread-answers.ts';

interface About {
  audience: Audience;
  requestId: string;
}

/**
 * Sends an answer whose body is there, in one write or in turns. Express would answer 304 to an If-None-Match with the
 * version of a flag, although not all of its fields have one. Node handles headers in one list faster than single ones.
 */
export function sendBody(
  response: ServerResponse,
  { audience, requestId }: About,
  { status, headers = {}, body, isSentInTurns }: Reply,
): void {
  const isJson = body !== undefined && !Buffer.isBuffer(body);
  const bytes = isJson ? Buffer.from(JSON.stringify(body)) : body;
  const lines = ['x-content-type-options', 'nosniff', 'x-request-id', requestId];
  // What administrators read is for them alone, unless the route says otherwise.
  if (audience === 'admin' && headers['cache-control'] === undefined) lines.push('cache-control', 'no-store');
  if (isJson) lines.push('content-type', 'application/json; charset=utf-8');
  for (const name in headers) if (!isJson || name !== 'content-type') lines.push(name, headers[name]!);
  if (bytes) lines.push('content-length', String(bytes.length));
  if (!bytes || !isSentInTurns || response.req.method !== 'GET') {
    response.writeHead(status, lines).end(bytes);
    if (bytes && bytes.length >= minCountedBytes) countUntilRead(response, bytes);
    return;
  }
  // The kernel keeps what a client does not read. A few hundred clients that ask again and again, each with several MB
  // of answers, would use up the memory that the machine has for TCP. So a connection gets one document.
  lines.push('connection', 'close');
  lingerAfter(response);
  response.writeHead(status, lines);
  writeInTurns(response, bytes);
}

/** Smaller ones fit the buffers of the kernel. */
const minCountedBytes = 64_000;
