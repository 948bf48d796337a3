import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, gzip, type ZlibOptions } from 'node:zlib';
import type { MaybePromise } from '@yardarm/shared/waiting';
import type { Coding } from '../../routing/content-coding.ts';
import { toStoredBytes } from './stored-bytes.ts';

/** A smaller body fits one packet with its headers, so compression saves nothing. */
const minCompressedBytes = 1_200;

/**
 * How much a body is compressed. For many readers brotli is between the fastest and the default 11, which takes seconds
 * per megabyte. For one reader the fastest is enough: with 17 MB of flags gzip takes half of the time for 14 % more
 * bytes, and brotli a ninth for 9 % more. All other answers share the processor with it.
 */
const levels = { many: { gzip: constants.Z_DEFAULT_COMPRESSION, br: 5 }, one: { gzip: 1, br: 1 } };

type Readers = keyof typeof levels;

const compress = {
  gzip: (bytes: Buffer, readers: Readers) =>
    promisify<Buffer, ZlibOptions, Buffer>(gzip)(bytes, { level: levels[readers].gzip }),
  br: (bytes: Buffer, readers: Readers) =>
    promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: levels[readers].br,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
};

/**
 * The bytes of one answer, with their compressed forms. Each form is made once, in a thread of the pool, when it is
 * first asked for. All who ask meanwhile wait for it: a few milliseconds cost them less than the uncompressed bytes,
 * and a body that changes with every read is not compressed in vain.
 */
export class EncodedBody {
  readonly plain: Buffer;
  readonly #readers: Readers;
  readonly #onBytes: (added: number) => void;
  readonly #ready: { gzip?: Buffer; br?: Buffer } = {};
  readonly #pending: { gzip?: Promise<Buffer>; br?: Promise<Buffer> } = {};

  /** `onBytes` hears how many bytes each compressed form adds. */
  constructor(plain: Buffer, readers: Readers, onBytes: (added: number) => void = () => undefined) {
    this.plain = readers === 'many' ? toStoredBytes(plain) : plain;
    this.#readers = readers;
    this.#onBytes = onBytes;
  }

  /** Whether nothing stores it: the next reader gets another one. */
  get isForOne(): boolean {
    return this.#readers === 'one';
  }

  /** The coding that is sent to a client that prefers `coding`. */
  codingFor(coding: Coding): Coding {
    return this.plain.length < minCompressedBytes ? 'identity' : coding;
  }

  bytes(coding: Coding): MaybePromise<Buffer> {
    if (coding === 'identity') return this.plain;
    const ready = this.#ready[coding];
    if (ready) return ready;
    this.#pending[coding] ??= compress[coding](this.plain, this.#readers).then((compressed) => {
      const bytes = this.isForOne ? compressed : toStoredBytes(compressed);
      this.#ready[coding] = bytes;
      this.#onBytes(bytes.length);
      return bytes;
    });
    return this.#pending[coding];
  }
}
