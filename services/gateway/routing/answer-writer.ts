import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { countUntilRead } from './unread-answers.ts';

/** A client that reads nothing for this long only occupies its buffer. */
const writeTimeoutMs = 30_000;

/** More than a client that reads is behind. One that does not read keeps the bytes of its unsent events in memory. */
const maxUnsentBytes = 1_000_000;

/** For the rest of the bytes of a client that reads. */
const endTimeoutMs = 1_000;

const comment = Buffer.from(': \n\n');

/** A server-sent event whose data is JSON in one line. */
export function toEvent(name: string, id: string, data: Buffer): Buffer[] {
  return [Buffer.from(`id: ${id}\nevent: ${name}\ndata: `), data, Buffer.from('\n\n')];
}

/**
 * Writes an answer in parts. The caller chooses what happens to a client that reads more slowly than the parts are
 * made:
 *
 *   write  waits until the socket accepts more, so memory has one part. It aborts when the client reads nothing for
 *          `timeoutMs`.
 *   send   does not wait, since it is called for many clients at once. It breaks the answer off when more than 1 MB
 *          waits. The first event may be of any size: many clients get the same one, and those that do not read are
 *          broken off when all answers that are not read are too large together (bytes-in-flight.ts).
 *
 * States of an answer:
 *
 *   open       Parts are written.
 *   aborted    `signal` is aborted: by `abort`, or because the client has gone or reads nothing. `write` throws.
 *   broken off The connection is closed before the end, so that the client does not take a part for the whole.
 *   ended      The last part is written.
 */
export class AnswerWriter {
  readonly #response: ServerResponse;
  readonly #timeoutMs: number;
  #aborting: AbortController | undefined;
  #hasSent = false;
  /** The bytes of the first event until the socket has accepted all of them. */
  #firstBytes = 0;

  constructor(response: ServerResponse, timeoutMs = writeTimeoutMs) {
    this.#response = response;
    this.#timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    return this.#controller().signal;
  }

  abort(): void {
    this.#controller().abort();
  }

  /** Made when it is first used: the streams of SDKs, of which there may be ten thousand, only send. */
  #controller(): AbortController {
    if (!this.#aborting) {
      this.#aborting = new AbortController();
      this.#response.once('close', () => this.abort());
    }
    return this.#aborting;
  }

  /** Calls what writes the answer to its end. When it throws, breaks an aborted answer off, else throws the error. */
  async run(produce: () => Promise<void>): Promise<void> {
    // A client that has gone causes no `close` event any more. One that leaves before the first part does.
    if (this.#response.destroyed) return;
    const { signal } = this;
    try {
      await produce();
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#response.destroy();
    }
  }

  /** Resolves when the socket accepts more. Throws when the signal is aborted. */
  async write(...parts: readonly (string | Uint8Array)[]): Promise<void> {
    this.signal.throwIfAborted();
    let isAccepted = true;
    for (const part of parts) isAccepted = this.#response.write(part);
    if (isAccepted) return;
    const timer = setTimeout(() => this.abort(), this.#timeoutMs);
    await once(this.#response, 'drain', { signal: this.signal }).finally(() => clearTimeout(timer));
  }

  /** Sends the parts of an event, unless the answer has ended. */
  send(parts: readonly Buffer[]): void {
    const response = this.#response;
    if (this.#isOver()) return;
    if (!this.#hasSent) {
      this.#sendFirst(parts);
      return;
    }
    // The socket gets all of them together. Node would write them after the present work, whose duration decides how
    // long other work has the process.
    for (const part of parts) response.write(part);
    response.socket?.uncork();
    if (response.writableLength > maxUnsentBytes + this.#firstBytes) response.destroy();
  }

  /** What the socket does not accept at once is counted with all answers that are not read. */
  #sendFirst(parts: readonly Buffer[]): void {
    const response = this.#response;
    this.#hasSent = true;
    this.#firstBytes = parts.reduce((sum, part) => sum + part.length, 0);
    let release = () => {};
    for (const part of parts.slice(0, -1)) response.write(part);
    response.write(parts.at(-1)!, () => {
      this.#firstBytes = 0;
      release();
    });
    response.socket?.uncork();
    if (response.writableLength === 0) return;
    const longest = parts.reduce((one, other) => (other.length > one.length ? other : one));
    release = countUntilRead(response, longest);
  }

  /** Shows that the stream is open. */
  comment(): void {
    if (this.#isOver()) return;
    this.#response.write(comment);
    // At once, as in `send`.
    this.#response.socket?.uncork();
  }

  /** Ends an answer of events. The client has a second to read the rest. */
  end(): void {
    this.#response.end();
    setTimeout(() => {
      if (!this.#response.writableFinished) this.#response.destroy();
    }, endTimeoutMs).unref();
  }

  /** Node emits an error for a write after the end, which would end the process. */
  #isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }
}
