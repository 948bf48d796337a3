// One Ctrl-C reaches the launcher several times: from the terminal, and again from npm or another parent. Signals
// within half a second of the first count as the same. A person's second Ctrl-C comes later.
const sameSignalMs = 500;

/**
 * Calls `stop` at the first SIGINT, SIGTERM or SIGHUP, or when the process `parentPid` is no longer our parent. Calls
 * `force` at a later signal.
 */
export function onStopSignal(parentPid: number | undefined, stop: () => void, force: () => void): void {
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      stop();
    } else if (Date.now() - firstAt > sameSignalMs) force();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  if (parentPid === undefined || parentPid !== process.ppid) return;
  // A check per second costs nothing.
  const watch = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(watch);
    onSignal();
  }, 1_000);
  watch.unref();
}
