/** After this time an SDK that streamed has probably ended, or was told to poll. */
const validMs = 3_600_000;

/** Twice the default limit of streams. An entry takes some 200 bytes. */
const maxInvited = 20_000;

/** SDKs send a UUID. */
const maxLength = 100;

/**
 * The connection ids of SDKs that had a stream here or were refused one in the last hour. They poll now, and a poll may
 * tell them to stream again. An SDK that never asked for a stream is never told so, since not all can stream. Above
 * `maxInvited` the oldest id is forgotten.
 */
export class Invitations {
  /** When each id ends, the first to end first. */
  readonly #until = new Map<string, number>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  add(connectionId: string | undefined): void {
    if (connectionId === undefined || connectionId.length > maxLength) return;
    this.#until.delete(connectionId);
    this.#until.set(connectionId, this.#clock() + validMs);
    if (this.#until.size > maxInvited) this.#until.delete(this.#until.keys().next().value as string);
  }

  has(connectionId: string | undefined): boolean {
    if (connectionId === undefined) return false;
    return (this.#until.get(connectionId) ?? 0) > this.#clock();
  }
}
