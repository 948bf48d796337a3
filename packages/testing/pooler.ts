import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serverAccount } from '../../scripts/servers/account.ts';
import { freePort } from '../../scripts/servers/free-port.ts';
import { eventually } from './eventually.ts';

/** Whether this machine has PgBouncer, which docs/testing.md names. */
export const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0;

export interface Pooler {
  /** The login's URL through PgBouncer. */
  url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer in transaction mode in front of a login's database. `more` are lines of its configuration. */
export async function startPooler(loginUrl: string, more: string): Promise<Pooler> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-pooler-'));
  const target = new URL(loginUrl);
  const port = await freePort();
  const users = path.join(folder, 'users');
  writeFileSync(users, `"${target.username}" "${target.password}"\n`);
  const settings = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
${more}
`,
  );
  // As Postgres, it refuses to run as root, and runs as another user.
  chmodSync(folder, 0o755);
  const account = serverAccount();
  const child = spawn('pgbouncer', [settings], {
    ...{ stdio: 'ignore', cwd: '/' },
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  await eventually(async () => {
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  const url = new URL(target);
  url.port = String(port);
  return {
    url: url.href,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
