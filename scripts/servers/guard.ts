import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

export type Guard = {
  /** Ends the guard without its doing anything. */
  release(): void;
};

// For scripts: `end PID SIGNAL` signals a process and waits until it has gone, for 5 s at most, since in a container
// without a reaping first process it stays as a zombie.
const prelude = `end() {
  kill -s "$2" "$1" || return 0
  tries=0
  while kill -0 "$1" && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
}
exec 2>/dev/null
cat >/dev/null
`;

/**
 * Runs a shell script when this process has ended, however it ended: SIGKILL leaves no other way to take a server
 * along that was started by it. A waiting shell holds the reading end of a pipe that the system closes with us; it
 * stands in a process group of its own, since whoever kills our group means to end us, not the tidying up.
 */
export function guard(script: string, ...args: (string | number)[]): Guard {
  const child = spawn('/bin/sh', ['-c', `${prelude}${script}`, 'yardarm-guard', ...args.map(String)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  // Without a shell there is no guard: the next start finds what was left and stops it.
  child.on('error', () => {});
  child.unref();
  (child.stdin as Socket | null)?.unref();
  return {
    release() {
      // The shell first: its `cat` ends as soon as the pipe does, and the script would go on from there.
      child.kill('SIGKILL');
      child.stdin?.destroy();
    },
  };
}
