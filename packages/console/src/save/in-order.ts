const last = new Map<string, Promise<void>>();

const keyOf = (project: string, feature: string) => JSON.stringify([project, feature]);

/**
 * Sends a write after the earlier ones of the same flag. The browser has several connections, on which a switch back
 * could overtake the switch.
 */
export async function inOrder<Result>(project: string, feature: string, send: () => Promise<Result>): Promise<Result> {
  const key = keyOf(project, feature);
  const before = last.get(key);
  const { promise, resolve } = Promise.withResolvers<void>();
  last.set(key, promise);
  try {
    await before;
    return await send();
  } finally {
    if (last.get(key) === promise) last.delete(key);
    resolve();
  }
}

/** Whether a write of the flag is on its way or waits. */
export const isSending = (project: string, feature: string) => last.has(keyOf(project, feature));

/** Resolves when no write of any flag is on its way. A read that begins before may show a switch as it was. */
export async function whenSent(): Promise<void> {
  while (last.size > 0) await Promise.all(last.values());
}
