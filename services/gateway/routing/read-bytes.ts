import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '@yardarm/shared/errors';
import { refusedBodies } from '../metrics.ts';
import { bodiesInFlight, minBytes } from './bytes-in-flight.ts';
import { acceptedBodies, tooLargeError } from './error-body.ts';

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/**
 * Reads a body and decompresses it. Ends at the first byte beyond the limit, even if the client sends on without an
 * end, and then closes the connection. So memory has at most the limit and one decompressed chunk of 16 kB. All bodies
 * together have a bound too (bytes-in-flight.ts), beyond which the oldest incomplete one is refused with `unavailable`.
 * A complete one counts until its answer is sent.
 */
export function readBytes(request: IncomingMessage, response: ServerResponse, limitBytes: number): Promise<Buffer> {
  const source = decoded(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const body = bodiesInFlight.add(() => {
      refusedBodies.inc();
      fail(new AppError('unavailable', 'The requests that are being sent have too many bytes. Send this one again.'));
    });
    const stop = () => {
      source.off('data', onData).off('end', onEnd).off('error', onMalformed);
      request.off('close', onClose);
      if (source === request) return;
      // Destroying it may emit an error that nothing waits for.
      source.on('error', () => {});
      request.unpipe(source as never);
      source.destroy();
    };
    const fail = (error: AppError) => {
      stop();
      bodiesInFlight.remove(body);
      chunks.length = 0;
      // The rest of the body would be read as the next request.
      if (!response.headersSent) response.setHeader('connection', 'close');
      request.pause();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) return fail(tooLargeError(limitBytes));
      chunks.push(chunk);
      bodiesInFlight.grow(body, chunk.length);
    };
    const onEnd = () => {
      stop();
      // A closed response emits `close` no more.
      if (length < minBytes || response.destroyed) bodiesInFlight.remove(body);
      else {
        bodiesInFlight.keep(body);
        response.once('close', () => bodiesInFlight.remove(body));
      }
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
    };
    const onMalformed = () => fail(new AppError('validation', 'The request body cannot be decompressed.'));
    const onClose = () => {
      if (!request.complete) fail(new AppError('validation', 'The request ended before its body was complete.'));
    };
    source.on('data', onData).on('end', onEnd).on('error', onMalformed);
    request.on('close', onClose);
    if (source !== request) request.pipe(source as never);
  });
}

function decoded(request: IncomingMessage): Readable {
  const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity') return request;
  if (Object.hasOwn(decoders, coding)) return decoders[coding as keyof typeof decoders]();
  throw new AppError(
    'content-type',
    `The request body cannot be read: unsupported content encoding "${coding.slice(0, 100)}". ${acceptedBodies}`,
  );
}
