import { LRUCache } from 'lru-cache';

/** After this time an SDK that streamed has probably ended, or polls for good. */
const validMs = 3_600_000;
/**
 * An SDK discards the flags of an answer that asks it to stream. When it is refused the stream, here or at another
 * gateway, it polls at once. If it were asked again at once, it would repeat this without a pause and never get flags.
 */
const pauseMs = 60_000;
/** Twice the default limit of streams. An entry takes some 200 bytes. */
const maxOffers = 20_000;
/** SDKs send a UUID. */
const maxLength = 100;

interface Offer {
  until: number;
  nextAt: number;
}

/**
 * The connection ids of SDKs that had a stream here or were refused one in the last hour. They poll now, and a poll may
 * ask them to stream again, at most once in `pauseMs`. An SDK that never wanted a stream is not asked, since not all
 * can stream. Above `maxOffers` the id that was not used for the longest time is forgotten.
 */
export class StreamOffers {
  readonly #offers = new LRUCache<string, Offer>({ max: maxOffers });
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  add(connectionId: string | undefined): void {
    if (connectionId === undefined || connectionId.length > maxLength) return;
    const { nextAt = Number.NEGATIVE_INFINITY } = this.#offers.get(connectionId) ?? {};
    this.#offers.set(connectionId, { until: this.#clock() + validMs, nextAt });
  }

  /** Whether the answer to a poll with this id may ask the SDK to stream now. */
  has(connectionId: string | undefined): boolean {
    const offer = connectionId === undefined ? undefined : this.#offers.get(connectionId);
    return offer !== undefined && offer.until > this.#clock() && offer.nextAt <= this.#clock();
  }

  /** Records that an answer asks the SDK to stream. */
  use(connectionId: string | undefined): void {
    const offer = connectionId === undefined ? undefined : this.#offers.get(connectionId);
    if (offer) offer.nextAt = this.#clock() + pauseMs;
  }
}
