/** Waits for the work to end or for the time to pass. Returns whether the work has ended; never rejects. */
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

/** Polls until `check` resolves. After the limit it throws the last error: 20 s is shorter than a test's timeout. */
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

/** A recreated stream or a restarted server is back within a second; 5 s limit the load of a long outage. */
export const reopening = { firstMs: 100, maxMs: 5_000 };
