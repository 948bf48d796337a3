// One process at a time may use a data folder: two nats-servers on one store, or two launchers on one cluster, destroy
// it. The claim is a file that names the owner of the folder. Node has no file locks that the system releases by
// itself. So the file names its owner by process id and start time, and a file whose owner has ended is stale.
//
//   free    no file, or a stale one          -> owned, by link(2): one of many succeeds, and the file is complete
//   owned   the file names a living process  -> free, by release() or by that process's end

import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { birthOf } from './processes.ts';

type Owner = { pid: number; birth: string; note: string };

export type Claim = {
  release(): void;
};

export class FolderInUseError extends Error {
  readonly pid: number;
  readonly note: string;

  constructor(folder: string, owner: Owner) {
    super(`${folder} is in use by process ${owner.pid}${owner.note ? ` (${owner.note})` : ''}`);
    this.name = 'FolderInUseError';
    this.pid = owner.pid;
    this.note = owner.note;
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    // The file was removed meanwhile, or is not ours. In both cases it names no living process.
    return undefined;
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

// A process that was killed a moment ago needs up to a second to end. A person accepts that delay.
const timeoutMs = 1_000;

/** Claims `folder` for this process, or throws a FolderInUseError. Other processes see `note` in that error. */
export async function claimFolder(folder: string, note = ''): Promise<Claim> {
  const until = Date.now() + timeoutMs;
  const file = path.join(folder, 'claim.json');
  const own = path.join(folder, `claim.${randomUUID()}`);
  const text = JSON.stringify({ pid: process.pid, birth: birthOf(process.pid) ?? '', note });
  writeFileSync(own, text, { mode: 0o600 });
  try {
    while (!link(own, file)) {
      const owner = readOwner(file);
      if (owner && birthOf(owner.pid) === owner.birth) {
        if (owner.pid === process.pid || Date.now() > until) throw new FolderInUseError(folder, owner);
        await sleep(20);
        continue;
      }
      // The file is stale. Two processes may move it at once, and the later one may move the new claim of the earlier
      // one. Then it restores that claim and finds it in its next attempt.
      const moved = `${own}.moved`;
      try {
        renameSync(file, moved);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        throw error;
      }
      const movedOwner = readOwner(moved);
      if (movedOwner && birthOf(movedOwner.pid) === movedOwner.birth) link(moved, file);
      rmSync(moved);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return {
    release() {
      // A folder that was removed meanwhile needs no release.
      if (existsSync(file) && readFileSync(file, 'utf8') === text) rmSync(file);
    },
  };
}
