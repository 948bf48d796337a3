/** The time limit of a condition, on a machine that is busy with other tests. */
const limitMs = 20_000;
const pauseMs = 20;

/**
 * Waits until `check` no longer throws, and returns its result. After the time limit it throws the last error. Use it
 * for other processes and the network; processAll() drains the services of this process.
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs: number = limitMs): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
