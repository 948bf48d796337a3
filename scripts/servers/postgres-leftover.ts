import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { commandLineOf, ended, processesIn, signalAll } from './processes.ts';

/** The postmaster that postmaster.pid names, if it is alive and really the Postgres of `cluster`. */
function livingPostmaster(cluster: string): number | undefined {
  try {
    const pid = Number(readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return pid > 0 && commandLineOf(pid).includes(cluster) ? pid : undefined;
  } catch {
    // No such file: no Postgres was left.
    return undefined;
  }
}

/**
 * Stops a Postgres of `cluster` that outlived its parent, and removes a postmaster.pid whose process is gone: its
 * number may belong to another program by now (in a container it mostly does), at which Postgres would refuse to
 * start. To be called by whoever holds the claim on the folder.
 */
export async function stopLeftPostgres(cluster: string): Promise<void> {
  const postmaster = livingPostmaster(cluster);
  const everyone = () => [...new Set([...(postmaster ? [postmaster] : []), ...processesIn(cluster)])];
  // Fast shutdown, as the parent would have done; 10 s are enough for its checkpoint on any disk we have met.
  if (postmaster) signalAll([postmaster], 'SIGINT');
  if (!(await ended(everyone(), 10_000))) {
    signalAll(everyone(), 'SIGKILL');
    await ended(everyone(), 5_000);
  }
  rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
}
