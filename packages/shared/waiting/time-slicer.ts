import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AppError } from '../errors/index.ts';

/** A change takes some fifteen turns of the event loop, each of which may wait for a slice and one item. */
const sliceMs = 2;

/**
 * A slice that takes longer had an item that cannot be divided, such as a flag of 450 kB. Then the process rests as
 * long as the slice took, although it has nothing to do at once: each turn of a change would wait for such an item.
 */
const longSliceMs = 2 * sliceMs;

/** A turn of the event loop that takes less had no other work. */
const idleMs = 0.3;

/** Works whose slice is over, in the order of their turns. */
const waiting: (() => void)[] = [];
/** The end of the present slice, whichever work has it. */
let endsAt = 0;
/** When the rest after the last long slice is over. */
let restsUntil = 0;

/**
 * Divides work in memory on thousands of items, which would stop every other request of the process for seconds, with
 * the locks that its transaction holds. The work ends when its caller no longer waits for it.
 *
 *   running  One slice of all works of the process has begun. A work that continues behind a statement shares it.
 *   waiting  The slice is over. The works wait in the order of their coming, and one has the next slice.
 *
 * Between two slices the other work of the process has as long as a slice, or until it has nothing to do. After a long
 * slice it has as long as that one took. So several large requests at once delay the others no more than one does.
 */
export class TimeSlicer {
  readonly #deadline: number;

  /** `deadline` is in milliseconds since 1970. */
  constructor({ deadline }: { deadline: number }) {
    this.#deadline = deadline;
  }

  /** For between two items. After a slice, other requests run. Throws `timeout` after the deadline. */
  async next(): Promise<void> {
    if (performance.now() < endsAt) return;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) void giveSlices();
    });
    if (Date.now() >= this.#deadline) throw new AppError('timeout', 'The deadline has passed; nothing was changed.');
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

async function giveSlices(): Promise<void> {
  while (waiting.length > 0) {
    await letOthersRun();
    const beganAt = performance.now();
    endsAt = beganAt + sliceMs;
    waiting[0]!();
    // The work runs its slice before the next turn of the event loop.
    await yieldToEventLoop();
    const endedAt = performance.now();
    if (endedAt - beganAt > longSliceMs) restsUntil = endedAt + (endedAt - beganAt);
    waiting.shift();
  }
}

async function letOthersRun(): Promise<void> {
  const restMs = restsUntil - performance.now();
  if (restMs > 0) return await sleep(restMs);
  const until = performance.now() + sliceMs;
  for (let now = performance.now(); ; ) {
    await yieldToEventLoop();
    const before = now;
    now = performance.now();
    if (now - before < idleMs || now >= until) return;
  }
}
