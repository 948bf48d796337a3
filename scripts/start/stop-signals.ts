// Ctrl-C reaches the launcher several times: from the terminal, and again from npm or whoever else passes it on. What
// comes within half a second of the first is the same wish; a person's second Ctrl-C comes later.
const sameWishMs = 500;

/**
 * Calls `stop` at the first SIGINT, SIGTERM or SIGHUP, or when the process `parentPid` is no longer our parent, and
 * `force` at a later signal.
 */
export function onStopSignal(parentPid: number | undefined, stop: () => void, force: () => void): void {
  let firstAt: number | undefined;
  const heard = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      stop();
    } else if (Date.now() - firstAt > sameWishMs) force();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, heard);
  if (parentPid === undefined || parentPid !== process.ppid) return;
  // Once a second: the question costs nothing, and nobody waits for the answer.
  const watch = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(watch);
    heard();
  }, 1_000);
  watch.unref();
}
