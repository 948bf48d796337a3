import type { ServedContext } from '@yardarm/shared/bus';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import { largeReads } from './large-reads.ts';

/** A process has ten connections by default, of which changes need five and large reads three. */
const maxQuickReads = 2;

/** Reads by a key take one to five milliseconds. */
const quickMs = 25;

/** The part of the mean duration of a request that its last read has. */
const weightOfLast = 0.25;

/**
 * Lets reads of callers take turns, so that those that scan many flags leave connections and the processor to changes
 * and to short reads. A request belongs to the quick reads until it takes `quickMs` on average, and then to the large
 * ones:
 *
 *   quick --mean of `quickMs` or more--> large --a mean below it--> quick
 */
export class ReadTurns {
  readonly #quickReads = new ConcurrencyLimit(maxQuickReads, 'Other reads took all of the time.');
  /** The mean durations of requests by their names, in milliseconds. */
  readonly #means = new Map<string, number>();

  /** Runs a read. Throws `unavailable` when it has no turn before its deadline. */
  run<Result>(name: string, context: ServedContext, read: () => Promise<Result>): Promise<Result> {
    const limit = this.#meanOf(name) < quickMs ? this.#quickReads : largeReads;
    return limit.run(context, async () => {
      const beganAt = performance.now();
      try {
        return await read();
      } finally {
        const mean = this.#meanOf(name);
        this.#means.set(name, mean + (performance.now() - beganAt - mean) * weightOfLast);
      }
    });
  }

  #meanOf(name: string): number {
    return this.#means.get(name) ?? 0;
  }
}
