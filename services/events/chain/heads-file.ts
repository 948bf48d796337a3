import { appendFile } from 'node:fs/promises';
import type { Link } from './chain.ts';

/**
 * The contents of the file of heads. Each head is a line `<time> <id>:<hash>`. Before retention drops the events up to
 * an id, it adds a line `<time> dropped <id>:<hash>`. Without these lines a deletion could pass for retention.
 */
export interface ExportedHeads {
  heads: Link[];
  /** The last event of each drop. */
  dropped: Link[];
}

export function appendHead(file: string, { id, hash }: Link): Promise<void> {
  return appendFile(file, `${new Date().toISOString()} ${id}:${hash}\n`);
}

export function appendDropped(file: string, { id, hash }: Link): Promise<void> {
  return appendFile(file, `${new Date().toISOString()} dropped ${id}:${hash}\n`);
}

/** Throws an Error that names the first invalid line. */
export function readHeads(text: string): ExportedHeads {
  const exported: ExportedHeads = { heads: [], dropped: [] };
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    // 32 bytes in base64url are 43 characters. A dropped event that was recorded without the chain has no hash.
    const [, dropped, id, hash] = /^\S+ (dropped )?(\d{1,15}):([\w-]{43}|)$/.exec(line) ?? [];
    if (id === undefined || hash === undefined || (hash === '' && dropped === undefined)) {
      throw new Error(`line ${index + 1} is no head: ${line}`);
    }
    exported[dropped === undefined ? 'heads' : 'dropped'].push({ id: Number(id), hash });
  }
  return exported;
}
