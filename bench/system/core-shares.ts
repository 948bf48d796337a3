// Holds processes to a fixed share of a core, each in a group of its own of cgroup v2.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The kernel's default. A process that has used its share waits for the next period. */
const periodMicroseconds = 100_000;

export interface CoreShares {
  hold(pid: number): void;
  /** Removes the groups. Their processes have ended before. */
  remove(): void;
}

/** Null where no group with a limit of CPU time can be made: without cgroup v2, its cpu controller or the right. */
export function openCoreShares(share: number, root = '/sys/fs/cgroup'): CoreShares | null {
  const groups: string[] = [];
  const add = () => {
    const group = path.join(root, `yardarm-bench-${process.pid}-${groups.length}`);
    mkdirSync(group);
    groups.push(group);
    writeFileSync(path.join(group, 'cpu.max'), `${share * periodMicroseconds} ${periodMicroseconds}`, { flag: 'r+' });
    return group;
  };
  const remove = () => {
    for (const group of groups.splice(0)) if (existsSync(group)) rmdirSync(group);
  };
  try {
    add();
  } catch {
    remove();
    return null;
  }
  remove();
  return { hold: (pid) => writeFileSync(path.join(add(), 'cgroup.procs'), String(pid)), remove };
}
