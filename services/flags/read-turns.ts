import type { ServedContext } from '@yardarm/shared/bus';
import { ConcurrencyLimit, keyOfActor } from '@yardarm/shared/waiting';
import { LRUCache } from 'lru-cache';
import type { ConnectionLimits } from './connections.ts';
import { restsFromMs, runLargeRead } from './large-reads.ts';

/** They take milliseconds, so that two share the connection that long reads and changes leave. A caller has one. */
const maxQuickReads = 2;

/**
 * Reads by a key take one to five milliseconds. While others occupy the processor they may take longer. Then their
 * caller has them one at a time, which it hardly notices.
 */
const quickMs = 10;

/** The part of the mean duration of a request that its last read has. */
const weightOfLast = 0.25;

/** Of pairs of a request and an actor. One that was forgotten is a large read once. */
const maxMeans = 10_000;

/** `run` throws `unavailable` when a read has no turn before its deadline. */
export interface Turns {
  run<Result>(context: ServedContext, read: () => Promise<Result>): Promise<Result>;
}

/**
 * Lets reads of callers take turns, so that those that scan many flags leave connections and the processor to changes
 * and to short reads. A request of an actor is one of the large reads until it has been quick:
 *
 *   large --a mean below `quickMs`--> quick --a mean of `quickMs` or more--> large
 *
 * A read that waits for a quick turn while its request becomes large waits for a large one then.
 */
export class ReadTurns {
  readonly #quickReads = new ConcurrencyLimit(maxQuickReads, 'Other reads took all of the time.', {
    restsFromMs,
  });
  readonly #limits: Pick<ConnectionLimits, 'longReads'>;
  /** The mean durations of requests by their names and actors, in milliseconds. */
  readonly #means = new LRUCache<string, number>({ max: maxMeans });

  constructor(limits: Pick<ConnectionLimits, 'longReads'>) {
    this.#limits = limits;
  }

  /** The turns of the reads of a request. */
  of(name: string): Turns {
    return { run: (context, read) => this.#run(name, context, read) };
  }

  async #run<Result>(name: string, context: ServedContext, read: () => Promise<Result>): Promise<Result> {
    const key = `${name} ${keyOfActor(context.actor)}`;
    const measured = () => this.#measure(key, read);
    if (this.#isQuick(key)) {
      const quick = await this.#quickReads.run(context, async () =>
        this.#isQuick(key) ? { result: await measured() } : null,
      );
      if (quick !== null) return quick.result;
    }
    return await runLargeRead(this.#limits, context, measured);
  }

  #isQuick(key: string): boolean {
    return this.#meanOf(key) < quickMs;
  }

  #meanOf(key: string): number {
    return this.#means.get(key) ?? quickMs;
  }

  async #measure<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    const beganAt = performance.now();
    try {
      return await read();
    } finally {
      const mean = this.#meanOf(key);
      this.#means.set(key, mean + (performance.now() - beganAt - mean) * weightOfLast);
    }
  }
}
