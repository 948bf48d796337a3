/** How long a condition that should come true may take on a machine that is busy with other tests. */
const limitMs = 20_000;
const pauseMs = 20;

/**
 * Waits until `check` no longer throws, and returns what it returned. Bounded; ends with the last failure. For what another
 * process or the network does in its own time; what runs in this process is drained with processAll().
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
