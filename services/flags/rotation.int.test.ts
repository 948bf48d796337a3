// Proves that the password of the service's login changes under requests, in the order of docs/operating.md, and that
// no request fails. packages/shared/db/logins.int.test.ts tests the connections alone.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as contracts from '@yardarm/shared/contracts/flags';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loadFlagsConfig } from './config.ts';
import { startFlags } from './service.ts';
import { flagsEnvironment, observeFlags } from './testing/flags-rig.ts';

const role = `flags_rotated_${randomBytes(4).toString('hex')}`;
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-rotation-'));
const file = path.join(folder, 'database-url');
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.rows(`create role ${role} login password 'old' in role yardarm_flags`);
});
afterAll(async () => {
  await database?.rows(`drop role ${role}`);
  await database?.drop();
  rmSync(folder, { recursive: true });
});

function writeLogins(...passwords: string[]): void {
  const lines = passwords.map((password) => {
    const url = new URL(database.urlFor('flags'));
    Object.assign(url, { username: role, password });
    return url.href;
  });
  writeFileSync(file, lines.join('\n'));
}

test('no request fails while the password changes, and connections are opened before, during and after it', async () => {
  writeLogins('old');
  const observer = await observeFlags(flagsEnvironment(database.urlFor('flags'), inject('natsUrl')));
  const { DATABASE_URL: _, ...environment } = observer.environment;
  const config = loadFlagsConfig({ ...environment, DATABASE_URL_FILE: file, DATABASE_MAX_CONNECTIONS: '40' });
  const service = await startFlags(config, observer.log);
  let made = 0;
  let isStopped = false;
  const failures: unknown[] = [];
  const create = async () => {
    made += 1;
    const input = { projectId: 'default', name: `rotated-${made}` };
    await observer.ask(contracts.createFeature, input).catch((error: unknown) => void failures.push(error));
  };
  const traffic = (async () => {
    while (!isStopped) await create();
  })();
  /** The connections of the service that were opened since then. */
  const opened = async (since: Date) =>
    (await database.rows('select pid from pg_stat_activity where usename = $1 and backend_start > $2', [role, since]))
      .length;
  let atOnce = 1;
  /** Sends more and more requests at once until the service opens another connection. */
  const openMore = async () => {
    const [row] = await database.rows<{ now: Date }>('select clock_timestamp() as now');
    await eventually(async () => {
      atOnce += 1;
      const reads = Array.from({ length: atOnce }, () =>
        observer.ask(contracts.listFeatures, { projectId: 'default' }),
      );
      for (const read of await Promise.allSettled(reads)) if (read.status === 'rejected') failures.push(read.reason);
      expect(await opened(row!.now)).toBeGreaterThan(0);
    });
  };
  writeLogins('new', 'old');
  await openMore();
  await database.rows(`alter role ${role} password 'new'`);
  await openMore();
  writeLogins('new');
  await openMore();
  isStopped = true;
  await traffic;
  expect(failures).toEqual([]);
  expect(made).toBeGreaterThan(10);
  await service.drain();
  await service.stop();
  await observer.close();
});
