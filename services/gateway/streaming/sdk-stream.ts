import type { ServerResponse } from 'node:http';

/** More than a client that reads is behind. One that does not read keeps the bytes of its unsent events in memory. */
const maxBufferedBytes = 1_000_000;

/** For the rest of the bytes of a client that reads. */
const endTimeoutMs = 1_000;

const comment = Buffer.from(': \n\n');

/** A server-sent event whose data is JSON in one line. */
export function toEvent(name: string, id: string, data: Buffer): Buffer[] {
  return [Buffer.from(`id: ${id}\nevent: ${name}\ndata: `), data, Buffer.from('\n\n')];
}

/** The answer to one SDK that streams. The first event may be of any size. Later ones are bounded. */
export class SdkStream {
  readonly #response: ServerResponse;
  /** The bytes of the first event until all of them are sent. */
  #first = 0;
  #hasBegun = false;
  /** The revision that the SDK has, when it is higher than that of its channel. */
  revision: number;

  constructor(response: ServerResponse, revision: number) {
    this.#response = response;
    this.revision = revision;
  }

  /** Sends the parts of an event. Breaks off a stream whose client does not read. */
  send(parts: readonly Buffer[]): void {
    const response = this.#response;
    if (response.destroyed) return;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (isFirst) this.#first = length;
    // Node sends all of them together at the end of this turn.
    for (const part of parts.slice(0, -1)) response.write(part);
    response.write(parts.at(-1)!, () => {
      if (isFirst) this.#first = 0;
    });
    if (response.writableLength > maxBufferedBytes + this.#first) response.destroy();
  }

  comment(): void {
    if (!this.#response.destroyed) this.#response.write(comment);
  }

  end(): void {
    this.#response.end();
    setTimeout(() => {
      if (!this.#response.writableFinished) this.#response.destroy();
    }, endTimeoutMs).unref();
  }
}
