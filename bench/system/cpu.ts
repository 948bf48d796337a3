import { readFileSync } from 'node:fs';

/** The unit of the times in Linux's `stat` is a hundredth of a second on every architecture that Node supports. */
const ticksPerSecond = 100;

/** The user and system time of processes since their start. Linux only. */
export function cpuSecondsOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    // The program's name is in parentheses and may contain anything. Then: state, ten fields, user time, system time.
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)!.trim().split(' ').slice(11);
    return Number(user) + Number(system);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond;
}
