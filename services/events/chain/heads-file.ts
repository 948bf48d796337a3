import { appendFile } from 'node:fs/promises';
import type { Link } from './chain.ts';

/**
 * The file of heads, for whoever holds it against the log later: a line `<time> <id>:<hash>` for each head, and a line
 * `<time> dropped <id>:<hash>` before retention drops the events up to that one. Without the second kind a deletion that calls itself
 * retention could not be told from it.
 */
export interface ExportedHeads {
  heads: Link[];
  /** The last event of each drop. */
  dropped: Link[];
}

/** Adds a head. */
export function appendHead(file: string, { id, hash }: Link): Promise<void> {
  return appendFile(file, `${new Date().toISOString()} ${id}:${hash}\n`);
}

/** Adds that retention drops the events up to this one. */
export function appendDropped(file: string, { id, hash }: Link): Promise<void> {
  return appendFile(file, `${new Date().toISOString()} dropped ${id}:${hash}\n`);
}

/** What such a file says; throws an Error that names the first line that is none of it. */
export function readHeads(text: string): ExportedHeads {
  const told: ExportedHeads = { heads: [], dropped: [] };
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    // 32 bytes in base64url are 43 characters; what was dropped has none, when a version that knew no chain had recorded it.
    const [, dropped, id, hash] = /^\S+ (dropped )?(\d{1,15}):([\w-]{43}|)$/.exec(line) ?? [];
    if (id === undefined || hash === undefined || (hash === '' && dropped === undefined)) {
      throw new Error(`line ${index + 1} is no head: ${line}`);
    }
    told[dropped === undefined ? 'heads' : 'dropped'].push({ id: Number(id), hash });
  }
  return told;
}
