// A primary and a standby, and a promotion under load. Proves: a URL with both hosts leads to the one that takes
// changes; every acknowledged change is there after a synchronous failover, and an asynchronous one loses what the
// standby lacked; connections to a server that takes no changes any more are dropped; a service says what is wrong.
import { randomUUID } from 'node:crypto';
import { eventually } from '@yardarm/testing';
import { type PostgresPair, startPostgresPair } from '@yardarm/testing/postgres-pair';
import { afterEach, expect, test } from 'vitest';
import { keepingLogger } from '../bus/testing/bus-rig.ts';
import { AppError } from '../errors/index.ts';
import { connectionProblem, createDatabase, type Database, type SharedTables, sql } from './index.ts';
import { asOwner, createTestSchemas, type TestSchemas } from './testing/test-schemas.ts';

const { log } = keepingLogger();
const writers = 8;
/** A busy machine connects and promotes within seconds. */
const recoveryLimitMs = 60_000;

let pair: PostgresPair;
let schemas: TestSchemas;
const open: Database<SharedTables>[] = [];

async function startPair(): Promise<void> {
  pair = await startPostgresPair(async (url) => {
    schemas = await createTestSchemas(url);
    await asOwner(schemas.ownerUrl, 'set role db_test_flags_owner; create table flags.writes (id text primary key)');
  });
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((db) => db.close()));
  await pair?.stop();
});

function connect(url: string): Database<SharedTables> {
  const db = createDatabase<object>({ url, schema: 'flags', log, maxConnections: writers });
  open.push(db);
  return db;
}

const loginOf = (order?: 'standby-first' | 'primary-first') => pair.ofBoth(schemas.urlFor('flags'), order);

/** Writers that insert rows, each with an id of its own. A row without an answer is not written again. */
function startWriters(db: Database<SharedTables>) {
  const acknowledged: string[] = [];
  const unknown: string[] = [];
  const wrong: unknown[] = [];
  const acknowledgedAt: number[] = [];
  let isStopped = false;
  const write = async (): Promise<void> => {
    while (!isStopped) {
      const id = randomUUID();
      try {
        await db.transaction((trx) => sql`insert into writes values (${id})`.execute(trx));
        acknowledged.push(id);
        acknowledgedAt.push(performance.now());
      } catch (error) {
        const code = error instanceof AppError ? error.code : null;
        if (code === 'timeout') unknown.push(id);
        else if (code !== 'unavailable') wrong.push(error);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const running = Promise.all(Array.from({ length: writers }, write));
  return {
    acknowledged,
    unknown,
    wrong,
    acknowledgedAt,
    more: (count: number) => {
      const target = acknowledged.length + count;
      return eventually(() => expect(acknowledged.length).toBeGreaterThanOrEqual(target), recoveryLimitMs);
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

const stored = async (db: Database<SharedTables>) => {
  const { rows } = await sql<{ id: string }>`select id from writes`.execute(db.kysely);
  return new Set(rows.map(({ id }) => id));
};

test('after a synchronous failover every acknowledged change is there, and none is doubled', async () => {
  await startPair();
  await pair.makeSynchronous();
  const db = connect(loginOf());
  const load = startWriters(db);
  await load.more(200);

  await pair.killPrimary();
  const killedAt = performance.now();
  await pair.promote();
  await load.more(200);
  await load.stop();
  const servedMs = Math.round(load.acknowledgedAt.find((at) => at > killedAt)! - killedAt);

  const ids = await stored(db);
  const lost = load.acknowledged.filter((id) => !ids.has(id));
  const kept = load.unknown.filter((id) => ids.has(id));
  console.log(
    `synchronous failover: ${load.acknowledged.length} acknowledged, ${lost.length} lost; ${load.unknown.length} unknown, ` +
      `of which ${kept.length} are stored; served again after ${servedMs} ms`,
  );
  expect(lost).toEqual([]);
  expect(load.wrong).toEqual([]);
  expect(ids.size).toBe(load.acknowledged.length + kept.length);
  await db.ping();
});

test('an asynchronous failover loses what the standby lacked, and the service goes on', async () => {
  await startPair();
  const db = connect(loginOf());
  const load = startWriters(db);
  await load.more(100);
  await pair.cutStandby();
  await load.more(100);
  await pair.killPrimary();
  await pair.promote();
  await load.more(100);
  await load.stop();
  const ids = await stored(db);
  const lost = load.acknowledged.filter((id) => !ids.has(id));
  console.log(`asynchronous failover: ${load.acknowledged.length} acknowledged, ${lost.length} lost`);
  expect(lost.length).toBeGreaterThanOrEqual(100);
  expect(load.wrong).toEqual([]);
});

test('a server that takes no changes any more is left, and one that never did is named', async () => {
  await startPair();
  const db = connect(loginOf('primary-first'));
  await db.transaction((trx) => sql`insert into writes values ('before')`.execute(trx));
  // A fence: the primary refuses changes on the connections that are open, too. The standby gets it by replication no
  // more than any other setting.
  await asOwner(pair.primaryUrl, 'alter system set default_transaction_read_only = on');
  await asOwner(pair.primaryUrl, 'select pg_reload_conf()');
  await eventually(async () => {
    const refused = db.transaction((trx) => sql`insert into writes values (${randomUUID()})`.execute(trx));
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
  });
  const problem = await db.ping().then(
    () => null,
    (error: unknown) => connectionProblem(error),
  );
  expect(problem).toBe('Postgres takes no changes: no host of DATABASE_URL is a primary');

  await pair.promote();
  await eventually(() => db.transaction((trx) => sql`insert into writes values ('after')`.execute(trx)));
  await db.ping();

  const [port] = [new URL(pair.primaryUrl).port];
  const ofFenced = connect(schemas.urlFor('flags').replace(/:\d+\//, `:${port}/`));
  await expect(ofFenced.ping()).rejects.toSatisfy((error) => connectionProblem(error)?.includes('no host') ?? false);
});
