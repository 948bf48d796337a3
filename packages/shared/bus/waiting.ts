/** Resolves when the work is done or has failed, or after the time, whichever comes first; says whether the work came first. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const done = work.then(
    () => true,
    () => true,
  );
  const isDone = await Promise.race([done, limit]);
  clearTimeout(timer);
  return isDone;
}

/** A pause that can be cut short. */
export interface Pause {
  wait(ms: number): Promise<void>;
  /** Ends the wait that is on and every later one at once. */
  cancel(): void;
}

export function createPause(): Pause {
  let isCancelled = false;
  const ends = new Set<() => void>();
  return {
    wait(ms) {
      if (isCancelled) return Promise.resolve();
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          ends.delete(end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        ends.add(end);
      });
    },
    cancel() {
      isCancelled = true;
      for (const end of [...ends]) end();
    },
  };
}

/**
 * Polls until `check` returns, and gives what it returned; after the limit throws with the last failure. For processAll, which tests wait
 * on: 20 s is more than any of them needs, and less than they are given.
 */
export async function pollUntil(check: () => Promise<void>, limitMs = 20_000): Promise<void> {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** The entry for the `attempt`-th failure in a row, from 1; the last entry for all later ones. */
export function delayOf(table: readonly [number, ...number[]], attempt: number): number {
  return table[Math.min(Math.max(attempt, 1), table.length) - 1] ?? table[0];
}

// A stream that is being made again or a server that restarts is back within a second; 5 s keep a long outage quiet.
/** Pauses between attempts to get at a stream or a consumer, ms. */
export const reopenDelays = [100, 250, 500, 1_000, 2_000, 5_000] as const;
