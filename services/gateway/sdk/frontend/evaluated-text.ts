import { createHash } from 'node:crypto';
import type { Evaluation } from '@yardarm/evaluation';
import { AppError } from '@yardarm/shared/errors';
import type { SnapshotFlag } from '../snapshots/stored-flag.ts';

/** How the flags are written. */
export interface TextForm {
  /** Before the first flag, and after the last one. */
  readonly begin: string;
  readonly end: string;
  /** The JSON of a flag; empty for one that is left out. The same arguments give the same text. */
  readonly write: (flag: SnapshotFlag, evaluation: Evaluation) => string;
}

/**
 * 50,000 flags, the default limit, have 10 MB with short payloads. Joining the parts of 45 MB stops the process for
 * 35 ms, which is longer than a flag may take.
 */
export const maxTextBytes = 30_000_000;

/** Hashing and encoding as many characters takes some 0.2 ms. Most answers are one part. */
const partLength = 100_000;

/** Longer ones have large payloads, and would occupy memory twice. Those of most flags have 200 characters. */
const maxKnownLength = 1_000;

/**
 * The JSON of evaluated flags, with its hash. Its parts are encoded and hashed as they come, so that a long text takes
 * slices of time, as its evaluation does. Short texts of a flag are written once per result, until the flag changes.
 */
export class EvaluatedText {
  static readonly #known = new WeakMap<TextForm, WeakMap<SnapshotFlag, Map<Evaluation, string>>>();

  readonly #form: TextForm;
  readonly #texts: WeakMap<SnapshotFlag, Map<Evaluation, string>>;
  readonly #hash = createHash('sha256');
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  #part: string;
  #isEmpty = true;

  constructor(form: TextForm) {
    this.#form = form;
    this.#part = form.begin;
    const known = EvaluatedText.#known.get(form);
    this.#texts = known ?? new WeakMap();
    if (!known) EvaluatedText.#known.set(form, this.#texts);
  }

  /** Returns the steps that it took. Throws `unprocessable` beyond the limit of bytes. */
  add(flag: SnapshotFlag, evaluation: Evaluation): number {
    const text = this.#textOf(flag, evaluation);
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

  #textOf(flag: SnapshotFlag, evaluation: Evaluation): string {
    let ofFlag = this.#texts.get(flag);
    const known = ofFlag?.get(evaluation);
    if (known !== undefined) return known;
    const text = this.#form.write(flag, evaluation);
    if (text.length > maxKnownLength) return text;
    if (!ofFlag) {
      ofFlag = new Map();
      this.#texts.set(flag, ofFlag);
    }
    ofFlag.set(evaluation, text);
    return text;
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
