import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

export type Guard = {
  /** Ends the guard without running its script. */
  release(): void;
};

// Scripts can call `end PID SIGNAL`, which signals a process and waits until it has ended. It waits 5 s at most,
// because in a container whose first process reaps no children the process stays a zombie.
const prelude = `end() {
  kill -s "$2" "$1" || return 0
  tries=0
  while kill -0 "$1" && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
}
exec 2>/dev/null
cat >/dev/null
`;

/**
 * Runs a shell script when this process has ended, even by SIGKILL. There is no other way to stop a server that a
 * killed process has started. A shell waits at the reading end of a pipe that the system closes when we end. The shell
 * has its own process group, so that a signal to our group does not end the clean-up.
 */
export function guard(script: string, ...args: (string | number)[]): Guard {
  const child = spawn('/bin/sh', ['-c', `${prelude}${script}`, 'yardarm-guard', ...args.map(String)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  // Without a shell there is no guard. The next start finds the servers and stops them.
  child.on('error', () => {});
  child.unref();
  (child.stdin as Socket | null)?.unref();
  return {
    release() {
      // The shell is killed first. Its `cat` ends with the pipe, and the script would continue.
      child.kill('SIGKILL');
      child.stdin?.destroy();
    },
  };
}
