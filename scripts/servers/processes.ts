import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The start time of a process, on Linux with the boot id. It distinguishes the process from a later one with the same
 * id. Undefined when there is no such process.
 */
export function birthOf(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return ps.stdout?.trim() || undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, with possible blanks, so counting begins after it. Then
    // the state is the first field and the start time the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended, but its parent has not reaped it.
    if (fields[0] === 'Z') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
  } catch {
    // The process does not exist, or ended between the two reads.
    return undefined;
  }
}

export function commandLineOf(pid: number): string {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended.
    return '';
  }
}

/**
 * The processes whose working folder is `folder`. For every process of a Postgres cluster that is its data folder.
 * Empty on other systems than Linux.
 */
export function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder;
      } catch {
        // Another user's process, or one that has ended.
        return false;
      }
    });
}

/** Waits until all of `pids` have ended, for `ms` at most. Returns whether they have. */
export async function ended(pids: number[], ms: number): Promise<boolean> {
  const until = Date.now() + ms;
  while (pids.some((pid) => birthOf(pid) !== undefined)) {
    if (Date.now() > until) return false;
    await sleep(20);
  }
  return true;
}

export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
