import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export type Account = { name: string; uid: number; gid: number };

/**
 * The user that runs Postgres when we are root, because Postgres refuses to run as root: `postgres` if it exists, else
 * `nobody`, which every machine has. Undefined when we are an ordinary user.
 */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const user = users.find((fields) => fields[0] === name);
    if (user) return { name, uid: Number(user[2]), gid: Number(user[3]) };
  }
  throw new Error(
    'Postgres does not run as root, and this machine has neither a user postgres nor nobody: make one, or set DATABASE_URL',
  );
}

/** Whether `account` may enter every folder above `target`, and `target` itself if it is a folder. */
export function mayReach(account: Account, target: string): boolean {
  for (let folder = path.resolve(target); ; folder = path.dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const searchBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & searchBit) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}
