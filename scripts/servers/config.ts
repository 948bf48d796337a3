import { homedir } from 'node:os';
import path from 'node:path';

/** Folders in which a command is looked for: the PATH, then those that a service account's PATH often lacks. */
export function commandFolders(): string[] {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return [...new Set([...onPath, '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'])];
}

/** Where things are kept that can be had again, for all clones of this user. */
export function cacheFolder(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'yardarm');
}
