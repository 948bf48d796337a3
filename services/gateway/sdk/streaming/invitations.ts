import { LRUCache } from 'lru-cache';

/** After this time an SDK that streamed has probably ended, or polls for good. */
const validMs = 3_600_000;
/**
 * An SDK discards the flags of an answer that asks it to stream. When it is refused the stream, here or at another
 * gateway, it polls at once. If it were asked again at once, it would repeat this without a pause and never get flags.
 */
const pauseMs = 60_000;
/** Twice the default limit of streams. An entry takes some 200 bytes. */
const maxInvited = 20_000;
/** SDKs send a UUID. */
const maxLength = 100;

interface Invited {
  until: number;
  nextAt: number;
}

/**
 * The connection ids of SDKs that had a stream here or were refused one in the last hour. They poll now, and a poll may
 * ask them to stream again, at most once in `pauseMs`. An SDK that never wanted a stream is not asked, since not all
 * can stream. Above `maxInvited` the id that was not used for the longest time is forgotten.
 */
export class Invitations {
  readonly #invited = new LRUCache<string, Invited>({ max: maxInvited });
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  add(connectionId: string | undefined): void {
    if (connectionId === undefined || connectionId.length > maxLength) return;
    const { nextAt = Number.NEGATIVE_INFINITY } = this.#invited.get(connectionId) ?? {};
    this.#invited.set(connectionId, { until: this.#clock() + validMs, nextAt });
  }

  /** Whether the answer to a poll with this id may ask the SDK to stream now. */
  has(connectionId: string | undefined): boolean {
    const invited = connectionId === undefined ? undefined : this.#invited.get(connectionId);
    return invited !== undefined && invited.until > this.#clock() && invited.nextAt <= this.#clock();
  }

  /** Records that an answer asks the SDK to stream. */
  use(connectionId: string | undefined): void {
    const invited = connectionId === undefined ? undefined : this.#invited.get(connectionId);
    if (invited) invited.nextAt = this.#clock() + pauseMs;
  }
}
