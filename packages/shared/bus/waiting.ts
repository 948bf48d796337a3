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

/**
 * Between attempts to reach a stream or a consumer, or to handle a batch. A stream that is made again or a server that restarts is back within a second; 5 s keep
 * a long outage quiet.
 */
export const reopening = { firstMs: 100, maxMs: 5_000 };
