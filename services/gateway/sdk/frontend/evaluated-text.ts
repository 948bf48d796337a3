import { createHash } from 'node:crypto';
import type { Evaluation } from '@yardarm/evaluation';
import { AppError } from '@yardarm/shared/errors';
import type { SnapshotFlag } from '../snapshots/stored-flag.ts';

export interface TextParts {
  /** Before the first flag, and after the last one. */
  readonly begin: string;
  readonly end: string;
  /** The JSON of a flag; empty for one that is left out. The same arguments give the same text. */
  readonly write: (flag: SnapshotFlag, evaluation: Evaluation) => string;
}

/**
 * The flags of the default limit, 50,000, have 10 MB with short payloads. When the parts of 45 MB are joined, nothing
 * else runs for 35 ms, which is longer than the 25 ms of a flag.
 */
export const maxTextBytes = 30_000_000;

/** Hashing and encoding as many characters takes some 0.2 ms. Most answers are one part. */
const partLength = 100_000;

/** Longer ones have large payloads, and would occupy memory twice. Those of most flags have 200 characters. */
const maxKnownLength = 1_000;

/**
 * How the flags are written. Short texts of a flag are written once per result, until the flag changes. Each answer of
 * a route has the same form.
 */
export class TextForm {
  readonly begin: string;
  readonly end: string;
  readonly #write: TextParts['write'];
  readonly #known = new WeakMap<SnapshotFlag, Map<Evaluation, string>>();

  constructor({ begin, end, write }: TextParts) {
    this.begin = begin;
    this.end = end;
    this.#write = write;
  }

  textOf(flag: SnapshotFlag, evaluation: Evaluation): string {
    let ofFlag = this.#known.get(flag);
    const known = ofFlag?.get(evaluation);
    if (known !== undefined) return known;
    const text = this.#write(flag, evaluation);
    if (text.length > maxKnownLength) return text;
    if (!ofFlag) {
      ofFlag = new Map();
      this.#known.set(flag, ofFlag);
    }
    ofFlag.set(evaluation, text);
    return text;
  }
}

/**
 * The JSON of evaluated flags, with its hash. Its parts are encoded and hashed as they come, so that a long text takes
 * slices of time, as its evaluation does.
 */
export class EvaluatedText {
  readonly #form: TextForm;
  readonly #hash = createHash('sha256');
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  #part: string;
  #isEmpty = true;

  constructor(form: TextForm) {
    this.#form = form;
    this.#part = form.begin;
  }

  /** Returns the steps that it took. Throws `unprocessable` beyond the limit of bytes. */
  add(flag: SnapshotFlag, evaluation: Evaluation): number {
    const text = this.#form.textOf(flag, evaluation);
    if (text === '') return 0;
    this.#part += this.#isEmpty ? text : `,${text}`;
    this.#isEmpty = false;
    if (this.#part.length >= partLength) this.#endPart();
    return text.length;
  }

  end(): void {
    this.#part += this.#form.end;
    this.#endPart();
  }

  /** `more` follows the text. */
  bytes(more = ''): Buffer {
    const parts = more === '' ? this.#parts : [...this.#parts, Buffer.from(more)];
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Of the text and `more`. To be called once. */
  hash(more = ''): string {
    return this.#hash.update(more).digest('base64url');
  }

  #endPart(): void {
    const bytes = Buffer.from(this.#part);
    this.#part = '';
    this.#bytes += bytes.length;
    if (this.#bytes > maxTextBytes) {
      throw new AppError(
        'unprocessable',
        `The answer would have more than ${maxTextBytes} bytes. Use a token of fewer projects.`,
      );
    }
    this.#hash.update(bytes);
    this.#parts.push(bytes);
  }
}
