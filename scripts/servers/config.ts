import { homedir } from 'node:os';
import path from 'node:path';

/** The folders of commands: the PATH, then the folders that a service account's PATH often lacks. */
export function commandFolders(): string[] {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return [...new Set([...onPath, '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'])];
}

/** The folder of files that can be fetched again, for all clones of this user. */
export function cacheFolder(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'yardarm');
}
