/**
 * Whether the API has refused the session of this browser. States:
 *
 *   logged in  Requests are sent.
 *   needed     The page asks for a login. Reads wait, since each one would be refused and counted.
 */
let isNeeded = false;
const listeners = new Set<() => void>();

export const loginNeeded = {
  is: () => isNeeded,
  set(value: boolean): void {
    if (isNeeded === value) return;
    isNeeded = value;
    for (const listener of [...listeners]) listener();
  },
  listen(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Resolves at once while no login is needed, else after it. */
export function whenLoggedIn(): Promise<void> {
  if (!isNeeded) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = loginNeeded.listen(() => {
      stop();
      resolve();
    });
  });
}
