import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hashPattern, type Link } from './chain.ts';

/**
 * Heads of the log in files outside the database, which an administrator of the database cannot change. A file only
 * grows. Its lines:
 *
 *   <time> <id>:<hash>            the head of the log at this time
 *   <time> dropped <id>:<hash>    before retention drops the events up to this one: without such lines a deletion could
 *                                 pass for retention
 *   <time> restored <id>:<hash>   the database was restored from a backup that ends with this event
 *   ... torn                      the program ended, or the disk was full, while the line was written
 *
 * Each replica appends to a file of its own per month: `<host>-<year>-<month>.heads`. A line has about 85 bytes. One a
 * minute makes at most 4 MB a month. The service deletes no file, so that those of replicas that are gone stay useful.
 */
export interface ExportedHeads {
  heads: TimedLink[];
  /** The last event of each drop. */
  dropped: TimedLink[];
  /** The last event of the log after each restore. */
  restored: TimedLink[];
}

export interface TimedLink extends Link {
  /** When the line was written, in the form of ISO 8601. */
  at: string;
}

export const noHeads = (): ExportedHeads => ({ heads: [], dropped: [], restored: [] });

const extension = '.heads';
const newline = 0x0a;

export function appendHead(folder: string, link: Link): Promise<void> {
  return append(folder, '', link);
}

export function appendDropped(folder: string, link: Link): Promise<void> {
  return append(folder, 'dropped ', link);
}

export function appendRestored(folder: string, link: Link): Promise<void> {
  return append(folder, 'restored ', link);
}

/** Resolves when the line is on the disk. A part of a line that an earlier attempt left is marked as torn. */
async function append(folder: string, kind: string, { id, hash }: Link): Promise<void> {
  const at = new Date().toISOString();
  // A name of a machine has letters, digits, - and . only; anything else may come from a container's setting.
  const host = hostname().replace(/[^\w.-]/g, '_');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(join(folder, `${host}-${at.slice(0, 7)}${extension}`), 'a+');
  try {
    const { size } = await file.stat();
    const last = size === 0 ? newline : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
    await file.appendFile(`${last === newline ? '' : ' torn\n'}${at} ${kind}${id}:${hash}\n`);
    await file.datasync();
    if (size === 0) await syncFolder(folder);
  } finally {
    await file.close();
  }
}

/** A new file is found after a power cut only when its folder is on the disk too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads a file of heads, or all files of a folder. Throws as `readHeads`, and ENOENT. */
export async function readHeadsIn(path: string): Promise<ExportedHeads> {
  const isFolder = (await stat(path)).isDirectory();
  const files = isFolder ? (await readdir(path)).filter((name) => name.endsWith(extension)).sort() : [''];
  const exported = noHeads();
  for (const name of files) {
    const file = join(path, name);
    addHeads(exported, await readFile(file, 'utf8'), name === '' ? '' : `${name}: `);
  }
  return exported;
}

/** Throws an Error that names the first invalid line. */
export function readHeads(text: string): ExportedHeads {
  const exported = noHeads();
  addHeads(exported, text, '');
  return exported;
}

function addHeads(exported: ExportedHeads, text: string, place: string): void {
  const lines = text.split('\n');
  // The last line ends with a line end, unless it is torn and nothing was written after it.
  lines.pop();
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.endsWith(' torn')) continue;
    const [, at, kind, id, hash] = /^(\S+) (dropped |restored )?(\d{1,15}):(\S*)$/.exec(line) ?? [];
    // Only an event that was recorded without the chain has no hash. It is no head.
    const isHash = hash !== undefined && (hash === '' ? kind !== undefined : hashPattern.test(hash));
    if (at === undefined || id === undefined || !isHash)
      throw new Error(`${place}line ${index + 1} is no head: ${line}`);
    const list = kind === 'dropped ' ? 'dropped' : kind === 'restored ' ? 'restored' : 'heads';
    exported[list].push({ at, id: Number(id), hash });
  }
}
