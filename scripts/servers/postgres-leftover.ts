import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { commandLineOf, ended, processesIn, signalAll } from './processes.ts';

/** The postmaster that postmaster.pid names, if it is alive and belongs to `cluster`. */
function livingPostmaster(cluster: string): number | undefined {
  try {
    const pid = Number(readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return pid > 0 && commandLineOf(pid).includes(cluster) ? pid : undefined;
  } catch {
    // Without the file no Postgres was left.
    return undefined;
  }
}

/**
 * Stops a Postgres of `cluster` that outlived its parent, and removes a postmaster.pid whose process has ended. Its
 * number may belong to another program (in a container it mostly does), and then Postgres would refuse to start. The
 * caller owns the claim on the folder.
 */
export async function stopLeftPostgres(cluster: string): Promise<void> {
  const postmaster = livingPostmaster(cluster);
  const remaining = () => [...new Set([...(postmaster ? [postmaster] : []), ...processesIn(cluster)])];
  // Fast shutdown, as by the parent. 10 s were enough for its checkpoint on every disk so far.
  if (postmaster) signalAll([postmaster], 'SIGINT');
  if (!(await ended(remaining(), 10_000))) {
    signalAll(remaining(), 'SIGKILL');
    await ended(remaining(), 5_000);
  }
  rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
}
