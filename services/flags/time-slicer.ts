import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ServedContext } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';

/** Other requests of the process wait for a slice and one item at most. A person notices twenty times as much. */
const sliceMs = 5;

/**
 * Divides work in memory on thousands of items, which would stop every other request of the process for seconds, with
 * the locks that its transaction holds. The work ends when its caller no longer waits for it.
 */
export class TimeSlicer {
  readonly #deadline: number;
  #endsAt = performance.now() + sliceMs;

  constructor({ deadline }: Pick<ServedContext, 'deadline'>) {
    this.#deadline = deadline;
  }

  /** For between two items. After a slice, other requests run. Throws `timeout` after the deadline. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await yieldToEventLoop();
    if (Date.now() >= this.#deadline) throw new AppError('timeout', 'The deadline has passed; nothing was changed.');
    this.#endsAt = performance.now() + sliceMs;
  }

  async map<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) {
      results.push(map(item));
      await this.next();
    }
    return results;
  }
}
