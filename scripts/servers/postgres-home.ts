import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Account } from './account.ts';
import { mayReach } from './account.ts';
import { rootFolder } from './postgres-binaries.ts';
import { stopLeftPostgres } from './postgres-leftover.ts';

/**
 * The folder of Postgres. For an ordinary user it is `dataDir`. For root it is also `dataDir` if the account that runs
 * Postgres may enter it. Else it is /var/lib/yardarm/<hash of dataDir's path>, and the file `home` in `dataDir` has its
 * name. If that folder exists without the file, its data folder was removed. A new data folder must not find the old
 * data, so the folder is renamed to `<name>.old`. Only the last one is kept.
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
  // Independent of root's umask, the account must be able to enter, but no other user may read.
  chmodSync(rootFolder, 0o755);
  chmodSync(home, 0o700);
  chownSync(home, account.uid, account.gid);
  writeFileSync(pointer, `${home}\n`);
  return home;
}
