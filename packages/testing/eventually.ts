/** The time limit of a condition, on a machine that is busy with other tests. */
const limitMs = 20_000;
const pauseMs = 20;

/**
 * Waits until `check` no longer throws, and returns its result. It throws the error of the first attempt that began
 * after the time limit. How long an attempt takes depends on the machine, and is not part of the limit. Use it for
 * other processes and the network; processAll() drains the services of this process.
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs: number = limitMs): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const isLast = Date.now() > end;
    try {
      return await check();
    } catch (error) {
      if (isLast) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
