import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '@yardarm/shared/errors';
import { refusedBodies } from '../metrics.ts';
import { bodiesInFlight, minBytes } from './bytes-in-flight.ts';
import { acceptedBodies, tooLargeError } from './error-body.ts';
import type { TakeChunk } from './route.ts';

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/**
 * A client that writes as it computes sends some chunks of a few bytes. Node needs some microseconds for each, whatever
 * its size, and a read of the socket has 10,000 of one byte.
 */
const freeChunks = 500;
/** Of the chunks beyond these, on average. A body of 20 MB may then have as many as take Node three seconds in all. */
const minChunkBytes = 64;

/** More than the head and the end of any coding. */
const codingBytes = 1_000;

/** Chunks of this size are kept as they are. Smaller ones are copied together: each would need 250 bytes more. */
const keptChunkBytes = 4_096;

/** Reads a whole body as `readChunks` does. */
export async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  /** The last of them, if it has room. */
  let open: { block: Buffer; used: number } | null = null;
  await readChunks(request, response, limitBytes, (chunk) => {
    if (chunk.length >= keptChunkBytes || chunks.length === 0) {
      open = null;
      chunks.push(chunk);
      return;
    }
    for (let rest = chunk; rest.length > 0; ) {
      open ??= { block: Buffer.allocUnsafe(2 * keptChunkBytes), used: 0 };
      const copied = rest.copy(open.block, open.used);
      const filled = open.block.subarray(0, open.used + copied);
      if (open.used > 0) chunks.pop();
      chunks.push(filled);
      open = filled.length < open.block.length ? { block: open.block, used: filled.length } : null;
      rest = rest.subarray(copied);
    }
  });
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/**
 * Reads a body and decompresses it. Ends at the first byte beyond the limit, sent or decompressed, even if the client
 * sends on without an end, and when its chunks are tiny, and when `take` throws, and then closes the connection. So
 * memory has at most the limit and one decompressed chunk of 16 kB. The bytes that all bodies have in memory have a bound too (bytes-in-flight.ts), beyond which the
 * oldest incomplete one is refused with `unavailable`. Those of a complete one count until its answer is sent.
 */
export function readChunks(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
  take: TakeChunk,
): Promise<void> {
  const source = decoded(request);
  return new Promise((resolve, reject) => {
    let length = 0;
    const sent = { bytes: 0, chunks: 0 };
    let isOver = false;
    let taking: Promise<void> | undefined;
    const body = bodiesInFlight.add(() => {
      refusedBodies.inc();
      fail(new AppError('unavailable', 'The requests that are being sent have too many bytes. Send this one again.'));
    });
    const stop = () => {
      isOver = true;
      source.off('data', onData).off('end', onEnd).off('error', onMalformed);
      request.off('data', onSent).off('close', onClose);
      if (source === request) return;
      // Destroying it may emit an error that nothing waits for.
      source.on('error', () => {});
      request.unpipe(source as never);
      source.destroy();
    };
    const fail = (error: unknown) => {
      stop();
      bodiesInFlight.remove(body);
      // The rest of the body would be read as the next request.
      if (!response.headersSent) response.setHeader('connection', 'close');
      request.pause();
      reject(error);
    };
    const readOn = () => {
      // It may have given way meanwhile.
      if (isOver) return;
      taking = undefined;
      bodiesInFlight.release(body);
      source.resume();
    };
    const onSent = (chunk: Buffer) => {
      sent.bytes += chunk.length;
      sent.chunks += 1;
      // What does not get longer by its coding has as few bytes as without one, but for a head and an end.
      if (sent.bytes > limitBytes + codingBytes) fail(tooLargeError(limitBytes));
      else if (sent.bytes < (sent.chunks - freeChunks) * minChunkBytes)
        fail(new AppError('validation', `The request body is sent in chunks of less than ${minChunkBytes} bytes.`));
    };
    const onData = (chunk: Buffer) => {
      if (isOver) return;
      length += chunk.length;
      if (length > limitBytes) return fail(tooLargeError(limitBytes));
      bodiesInFlight.grow(body, chunk.length);
      if (isOver) return;
      try {
        const taken = take(chunk);
        if (!(taken instanceof Promise)) return;
        source.pause();
        taking = taken;
        taken.then(readOn, fail);
      } catch (error) {
        fail(error);
      }
    };
    const end = () => {
      stop();
      // A closed response emits `close` no more.
      if (body.bytes < minBytes || response.destroyed) bodiesInFlight.remove(body);
      else {
        bodiesInFlight.keep(body);
        response.once('close', () => bodiesInFlight.remove(body));
      }
      resolve();
    };
    // A paused source may end: nothing follows its last chunk.
    const onEnd = () => (taking ? taking.then(end, () => {}) : end());
    const onMalformed = () => fail(new AppError('validation', 'The request body cannot be decompressed.'));
    const onClose = () => {
      if (!request.complete) fail(new AppError('validation', 'The request ended before its body was complete.'));
    };
    request.on('data', onSent);
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
