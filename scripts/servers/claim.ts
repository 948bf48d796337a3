// One process at a time may use a data folder: two nats-servers on one store, or two launchers on one cluster,
// destroy it. The claim is a file that says who holds the folder. Node has no file locks that the system gives
// back by itself, so a holder is named by process id and start time, and a file whose holder is gone is stale.
//
//   free    no file, or a stale one   -> held, by link(2), which one of many wins and shows a full file at once
//   held    the file names a living process -> free, by release() or by that process's end

import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { birthOf } from './processes.ts';

type Holder = { pid: number; birth: string; note: string };

export type Claim = {
  /** Gives the folder back. */
  release(): void;
};

/** Thrown where a living process holds the folder. */
export class FolderInUseError extends Error {
  readonly pid: number;
  readonly note: string;

  constructor(folder: string, holder: Holder) {
    super(`${folder} is in use by process ${holder.pid}${holder.note ? ` (${holder.note})` : ''}`);
    this.name = 'FolderInUseError';
    this.pid = holder.pid;
    this.note = holder.note;
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    // Gone in between, or not written by us: in both cases it names nobody who lives.
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

// Who was killed or stopped a moment ago is still dying: a second covers that, and a person waits it out.
const timeoutMs = 1_000;

/** Takes `folder` for this process, or throws FolderInUseError. `note` tells the next one who is there. */
export async function claimFolder(folder: string, note = ''): Promise<Claim> {
  const until = Date.now() + timeoutMs;
  const file = path.join(folder, 'claim.json');
  const mine = path.join(folder, `claim.${randomUUID()}`);
  const text = JSON.stringify({ pid: process.pid, birth: birthOf(process.pid) ?? '', note });
  writeFileSync(mine, text, { mode: 0o600 });
  try {
    while (!link(mine, file)) {
      const holder = readHolder(file);
      if (holder && birthOf(holder.pid) === holder.birth) {
        if (holder.pid === process.pid || Date.now() > until) throw new FolderInUseError(folder, holder);
        await sleep(20);
        continue;
      }
      // Stale. Two that see this at once both move the file away, and the later may have moved the earlier's new
      // claim: then it puts it back and finds it in the next round.
      const moved = `${mine}.moved`;
      try {
        renameSync(file, moved);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        throw error;
      }
      const taken = readHolder(moved);
      if (taken && birthOf(taken.pid) === taken.birth) link(moved, file);
      rmSync(moved);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return {
    release() {
      // A folder that was removed meanwhile is free as well.
      if (existsSync(file) && readFileSync(file, 'utf8') === text) rmSync(file);
    },
  };
}
