import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { MaybePromise } from '@yardarm/shared/waiting';
import type { Coding } from '../../routing/content-coding.ts';

/** A smaller body fits one packet with its headers, so compression saves nothing. */
const minCompressedBytes = 1_200;

/** Between the fastest and the default 11, which takes seconds per megabyte. Smaller than gzip, and about as fast. */
const brotliQuality = 5;

const compress = {
  gzip: promisify<Buffer, Buffer>(gzip),
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
};

/**
 * The bytes of one answer, with their compressed forms. Each form is made once, in a thread of the pool, when it is
 * first asked for. All who ask meanwhile wait for it: a few milliseconds cost them less than the uncompressed bytes,
 * and a body that changes with every read is not compressed in vain.
 */
export class EncodedBody {
  readonly plain: Buffer;
  readonly #onBytes: (added: number) => void;
  readonly #ready: { gzip?: Buffer; br?: Buffer } = {};
  readonly #pending: { gzip?: Promise<Buffer>; br?: Promise<Buffer> } = {};

  /** `onBytes` hears how many bytes each compressed form adds. */
  constructor(plain: Buffer, onBytes: (added: number) => void = () => undefined) {
    this.plain = plain;
    this.#onBytes = onBytes;
  }

  /** The coding that is sent to a client that prefers `coding`. */
  codingFor(coding: Coding): Coding {
    return this.plain.length < minCompressedBytes ? 'identity' : coding;
  }

  bytes(coding: Coding): MaybePromise<Buffer> {
    if (coding === 'identity') return this.plain;
    const ready = this.#ready[coding];
    if (ready) return ready;
    this.#pending[coding] ??= compress[coding](this.plain).then((bytes) => {
      this.#ready[coding] = bytes;
      this.#onBytes(bytes.length);
      return bytes;
    });
    return this.#pending[coding];
  }
}
