import type { ServedContext } from '@yardarm/shared/bus';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import { largeReads } from './large-reads.ts';

/** A process has ten connections by default, of which changes need five and large reads three. */
const maxQuickReads = 2;

/** Reads by a key take one to five milliseconds, and ten times as long while others occupy the processor. */
const quickMs = 50;

/** The part of the mean duration of a request that its last read has. */
const weightOfLast = 0.25;

/**
 * Lets reads of callers take turns, so that those that scan many flags leave connections and the processor to changes
 * and to short reads. A request is one of the large reads until it has been quick:
 *
 *   large --a mean below `quickMs`--> quick --a mean of `quickMs` or more--> large
 *
 * A read that waits for a quick turn while its request becomes large waits for a large one then.
 */
export class ReadTurns {
  readonly #quickReads = new ConcurrencyLimit(maxQuickReads, 'Other reads took all of the time.');
  /** The mean durations of requests by their names, in milliseconds. */
  readonly #means = new Map<string, number>();

  /** Runs a read. Throws `unavailable` when it has no turn before its deadline. */
  async run<Result>(name: string, context: ServedContext, read: () => Promise<Result>): Promise<Result> {
    const measured = () => this.#measure(name, read);
    if (this.#isQuick(name)) {
      const quick = await this.#quickReads.run(context, async () =>
        this.#isQuick(name) ? { result: await measured() } : null,
      );
      if (quick !== null) return quick.result;
    }
    return await largeReads.run(context, measured);
  }

  #isQuick(name: string): boolean {
    return this.#meanOf(name) < quickMs;
  }

  #meanOf(name: string): number {
    return this.#means.get(name) ?? quickMs;
  }

  async #measure<Result>(name: string, read: () => Promise<Result>): Promise<Result> {
    const beganAt = performance.now();
    try {
      return await read();
    } finally {
      const mean = this.#meanOf(name);
      this.#means.set(name, mean + (performance.now() - beganAt - mean) * weightOfLast);
    }
  }
}
