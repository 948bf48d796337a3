import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  inflate,
  type ZlibOptions,
} from 'node:zlib';
import { AppError } from '@yardarm/shared/errors';
import { refusedBodies } from '../metrics.ts';
import { bodiesInFlight, minBytes, type Transfer } from './bytes-in-flight.ts';
import { acceptedBodies, tooLargeError } from './error-body.ts';
import type { TakeChunk } from './route.ts';

type Coding = 'gzip' | 'deflate' | 'br';

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress };

const decompressors: Record<Coding, (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * A client that writes as it computes sends some chunks of a few bytes. Node needs some microseconds for each, whatever
 * its size, and a read of the socket has 10,000 of one byte.
 */
const freeChunks = 500;
/** Of the chunks beyond these, on average. A body of 20 MB may then have as many as take Node three seconds in all. */
const minChunkBytes = 64;

/** More than the head and the end of any coding. */
const codingBytes = 1_000;

/** What a chunk needs beside its bytes. */
export const chunkBytes = 250;

/** Reads a whole body as it was sent, maybe compressed, with the bounds of `readChunks`. */
export async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const mostBytes = codingOf(request) === null ? limitBytes : limitBytes + codingBytes;
  await readFrom(request, { request, response, limitBytes, mostBytes }, (chunk) => {
    chunks.push(chunk);
  });
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/**
 * Reads a body and decompresses it. It ends at the first byte beyond the limit, sent or decompressed, when the chunks
 * are tiny, and when `take` throws, even if the client sends on without an end. Then it closes the connection. So
 * memory has at most the limit and one decompressed chunk of 16 kB. What all bodies have in memory has a bound too
 * (bytes-in-flight.ts), beyond which the oldest incomplete one is refused with `unavailable`. Those of a complete one
 * count until its answer is sent.
 */
export async function readChunks(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
  take: TakeChunk,
): Promise<void> {
  const coding = codingOf(request);
  const source = coding === null ? request : decoders[coding]();
  await readFrom(source, { request, response, limitBytes, mostBytes: limitBytes }, take);
}

/**
 * The bytes of a body that `readBytes` has read. They count until the answer is sent, as those that were sent do.
 * Throws `content-too-large` above the limit, and `validation` for malformed bytes. It throws `validation` also after
 * the client has left, because nobody would get the answer.
 */
export async function decompress(
  bytes: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<Buffer> {
  if (response.destroyed) throw endedEarly();
  const coding = codingOf(request);
  if (coding === null || bytes.length === 0) return bytes;
  const whole = await decompressors[coding](bytes, { maxOutputLength: limitBytes }).catch((error: unknown) => {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLargeError(limitBytes) : malformed();
  });
  const body = bodiesInFlight.add(() => {});
  bodiesInFlight.grow(body, whole.length);
  keepUntilAnswered(body, response);
  return whole;
}

interface Reading {
  request: IncomingMessage;
  response: ServerResponse;
  limitBytes: number;
  /** Of the source. A compressed body may be some bytes longer than the limit. */
  mostBytes: number;
}

function readFrom(
  source: Readable,
  { request, response, limitBytes, mostBytes }: Reading,
  take: TakeChunk,
): Promise<void> {
  // Its client has left while it waited, and it emits no event any more.
  if (request.destroyed) return Promise.reject(endedEarly());
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
      // A coding makes no body longer, but for its head and its end.
      if (sent.bytes > limitBytes + codingBytes) fail(tooLargeError(limitBytes));
      else if (sent.bytes < (sent.chunks - freeChunks) * minChunkBytes)
        fail(new AppError('validation', `The request body is sent in chunks of less than ${minChunkBytes} bytes.`));
    };
    const onData = (chunk: Buffer) => {
      if (isOver) return;
      length += chunk.length;
      if (length > mostBytes) return fail(tooLargeError(limitBytes));
      bodiesInFlight.grow(body, chunk.length + chunkBytes);
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
      if (body.bytes < minBytes) bodiesInFlight.remove(body);
      else keepUntilAnswered(body, response);
      resolve();
    };
    // A paused source may end: nothing follows its last chunk.
    const onEnd = () => (taking ? taking.then(end, () => {}) : end());
    const onMalformed = () => fail(malformed());
    // What was read of the socket and not of the request is lost too, although the request is complete.
    const onClose = () => {
      if (!request.readableEnded) fail(endedEarly());
    };
    request.on('data', onSent);
    source.on('data', onData).on('end', onEnd).on('error', onMalformed);
    request.on('close', onClose);
    if (source !== request) request.pipe(source as never);
  });
}

function endedEarly(): AppError {
  return new AppError('validation', 'The request ended before its body was complete.');
}

function keepUntilAnswered(body: Transfer, response: ServerResponse): void {
  bodiesInFlight.keep(body);
  // A closed response emits `close` no more.
  if (response.destroyed) bodiesInFlight.remove(body);
  else response.once('close', () => bodiesInFlight.remove(body));
}

function malformed(): AppError {
  return new AppError('validation', 'The request body cannot be decompressed.');
}

/** Null for a body that is not compressed. */
export function codingOf({ headers }: IncomingMessage): Coding | null {
  const coding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity') return null;
  if (Object.hasOwn(decoders, coding)) return coding as Coding;
  throw new AppError(
    'content-type',
    `The request body cannot be read: unsupported content encoding "${coding.slice(0, 100)}". ${acceptedBodies}`,
  );
}
