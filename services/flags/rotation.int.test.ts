// Proves that the password of the service's login changes under requests, in the order of docs/operating.md, and that
// no request fails. packages/shared/db/logins.int.test.ts tests the connections alone.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as contracts from '@yardarm/shared/contracts/flags';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loadFlagsConfig } from './config.ts';
import { startFlags } from './service.ts';
import { flagsEnvironment, observeFlags } from './testing/flags-rig.ts';

const role = `flags_rotated_${randomBytes(4).toString('hex')}`;
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-rotation-'));
const file = path.join(folder, 'database-url');
let database: TestDatabase;
let owner: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await database.rows(`create role ${role} login password 'old' in role yardarm_flags`);
});
afterAll(async () => {
  await owner?.end();
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
  const fail = (error: unknown) => void failures.push(error);
  const create = async () => {
    made += 1;
    const input = { projectId: 'default', name: `rotated-${made}` };
    await observer.ask(contracts.createFeature, input).catch(fail);
  };
  const traffic = (async () => {
    while (!isStopped) await create();
  })();
  /** The connections of the service that were opened since then. */
  const opened = async (since: Date) =>
    (await database.rows('select pid from pg_stat_activity where usename = $1 and backend_start > $2', [role, since]))
      .length;
  /**
   * Makes requests wait for a table, so that each of them occupies a connection, until the service has opened more.
   * Then waits until the traffic has gone on.
   */
  const openMore = async () => {
    const [before] = await database.rows<{ now: Date; open: number }>(
      'select clock_timestamp() as now, count(*)::int as open from pg_stat_activity where usename = $1',
      [role],
    );
    await owner.query('begin; lock table flags.strategy_types in access exclusive mode');
    // These take no turns.
    const reads = Array.from({ length: before!.open + 2 }, () =>
      observer.ask(contracts.listStrategyTypes, {}).catch(fail),
    );
    try {
      await eventually(async () => expect(await opened(before!.now)).toBeGreaterThan(1));
    } finally {
      await owner.query('commit');
    }
    await Promise.all(reads);
    // The next one begins when the one before has ended.
    const begun = made;
    await eventually(async () => expect(made).toBeGreaterThan(begun));
  };
  try {
    writeLogins('new', 'old');
    await openMore();
    await database.rows(`alter role ${role} password 'new'`);
    await openMore();
    writeLogins('new');
    await openMore();
  } finally {
    isStopped = true;
    await traffic;
    await service.drain();
    await service.stop();
    await observer.close();
  }
  expect(failures).toEqual([]);
});
