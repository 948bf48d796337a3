import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Account } from './account.ts';
import { mayReach } from './account.ts';
import { rootFolder } from './postgres-binaries.ts';
import { stopLeftPostgres } from './postgres-leftover.ts';

/**
 * The folder that Postgres may call its own. As an ordinary user it is `dataDir`. As root it is `dataDir` too where
 * the account that Postgres runs as may walk there; else /var/lib/yardarm/<hash of dataDir's path>, and a file
 * `home` in `dataDir` says so. A folder of that name without such a file is what is left of a data folder that
 * somebody removed: a new one must not find its data, so it is set aside as `<name>.old`, the last one only.
 */
export async function postgresHome(dataDir: string, account: Account | undefined): Promise<string> {
  if (!account) return dataDir;
  if (mayReach(account, dataDir)) {
    chownSync(dataDir, account.uid, account.gid);
    return dataDir;
  }
  const pointer = path.join(dataDir, 'home');
  if (existsSync(pointer)) return readFileSync(pointer, 'utf8').trim();
  const home = path.join(rootFolder, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  if (existsSync(home)) {
    await stopLeftPostgres(path.join(home, 'cluster'));
    rmSync(`${home}.old`, { recursive: true, force: true });
    renameSync(home, `${home}.old`);
  }
  mkdirSync(home, { recursive: true });
  // Whatever root's umask is: the account has to get through here, and nobody else has to look in.
  chmodSync(rootFolder, 0o755);
  chmodSync(home, 0o700);
  chownSync(home, account.uid, account.gid);
  writeFileSync(pointer, `${home}\n`);
  return home;
}
