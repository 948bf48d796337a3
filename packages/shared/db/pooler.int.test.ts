// PgBouncer in transaction mode is refused with a sentence, as its defaults are and as an operator makes it accept a
// connection with settings.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { serverAccount } from '../../../scripts/servers/account.ts';
import { freePort } from '../../../scripts/servers/free-port.ts';
import { ConfigError } from '../config/index.ts';
import { createDatabase, findSystemId } from './index.ts';
import { createTestSchemas, silent, type TestSchemas } from './testing/test-schemas.ts';

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
let schemas: TestSchemas;
let pooler: ChildProcess | undefined;
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-pooler-'));

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
});
afterEach(async () => {
  if (!pooler) return;
  pooler.kill('SIGKILL');
  await once(pooler, 'exit');
});
afterAll(async () => {
  await schemas.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts PgBouncer in front of the database. Returns the login's URL through it. */
async function startPooler(more: string): Promise<string> {
  const target = new URL(schemas.urlFor('flags'));
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
  // As Postgres, it refuses to run as root.
  for (const file of [users, settings]) chmodSync(file, 0o644);
  chmodSync(folder, 0o755);
  const account = serverAccount();
  pooler = spawn('pgbouncer', [settings], {
    stdio: 'ignore',
    cwd: '/',
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  await eventually(async () => {
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  const url = new URL(target);
  url.port = String(port);
  return url.href;
}

test.skipIf(!isInstalled).each([
  ['with its defaults', ''],
  [
    'that ignores the settings of connections',
    'ignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,extra_float_digits',
  ],
])('PgBouncer in transaction mode %s is refused at the start', async (_which, more) => {
  const db = createDatabase({ url: await startPooler(more), schema: 'flags', log: silent });
  const error: unknown = await findSystemId(db.kysely).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as Error).message).toMatch(/^DATABASE_URL leads to a connection pooler such as PgBouncer/);
  await db.close();
});
