import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What tells a process from a later one that got the same id: its start time, with the machine's boot on Linux.
 * Undefined where no such process lives.
 */
export function birthOf(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return ps.stdout?.trim() || undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold blanks, so counting begins behind it:
    // state is the first there, the start time the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not noticed.
    if (fields[0] === 'Z') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
  } catch {
    // No such process, or one that ended between the two reads.
    return undefined;
  }
}

/** The command line of a process, or '' where none lives. */
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
 * The processes whose working folder is `folder`: every process of a Postgres cluster stands in its data folder.
 * Only Linux can be asked; elsewhere the answer is empty.
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

/** Waits until none of `pids` lives, for `ms` at most; says whether that came true. */
export async function ended(pids: number[], ms: number): Promise<boolean> {
  const until = Date.now() + ms;
  while (pids.some((pid) => birthOf(pid) !== undefined)) {
    if (Date.now() > until) return false;
    await sleep(20);
  }
  return true;
}

/** Sends a signal to processes of which some may have ended. */
export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
