// Proves what callers may rely on: values, transactions, and that connections come back by themselves.
// Does not assert how the pool does it.

import net from 'node:net';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import {
  createDatabase,
  type Database,
  isUniqueViolation,
  json,
  type RawBuilder,
  type SharedTables,
  sql,
  type Transaction,
} from './index.ts';
import { asOwner, createTestSchemas, silent, type TestSchemas } from './testing/test-schemas.ts';

let schemas: TestSchemas;
let db: Database<SharedTables>;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
  await asOwner(
    schemas.ownerUrl,
    `set role db_test_flags_owner;
     create table flags.counters (name text constraint counters_pkey primary key, n integer not null, note jsonb);
     create table flags.slow (name text);
     create function flags.take_long() returns trigger language plpgsql as 'begin perform pg_sleep(8); return null; end';
     create constraint trigger slow_check after insert on flags.slow deferrable initially deferred
       for each row execute function flags.take_long()`,
  );
  db = schemas.connect('flags');
});
afterAll(() => schemas.drop());

const value = async (text: string) => {
  const { rows } = await sql.raw<{ value: unknown }>(`select ${text} as value`).execute(db.kysely);
  return rows[0]!.value;
};

test('gives bigint as a number, timestamptz as a Date and a date as it is written', async () => {
  expect(await value('9007199254740991::bigint')).toBe(Number.MAX_SAFE_INTEGER);
  expect(await value('(select count(*) from counters)')).toBe(0);
  expect(await value("array[1, null]::bigint[] || '{}'::bigint[]")).toEqual([1, null]);
  expect(await value("'2026-01-02 03:04:05.678+00'::timestamptz")).toEqual(new Date('2026-01-02T03:04:05.678Z'));
  expect(await value("'2026-01-02'::date")).toBe('2026-01-02');
});

test('refuses a bigint that a number cannot hold, and keeps the connection usable', async () => {
  await expect(value('9007199254740993::bigint')).rejects.toThrow('9007199254740993 does not fit');
  expect(await value('1')).toBe(1);
});

test('writes an array into a json column as JSON', async () => {
  await sql`insert into counters values ('json', 0, ${json([1, 'two'])})`.execute(db.kysely);
  const { rows } = await sql`select note from counters where name = 'json'`.execute(db.kysely);
  expect(rows).toEqual([{ note: [1, 'two'] }]);
});

test('runs what waits for the commit after it, and never after a rollback', async () => {
  const told: string[] = [];
  await db.transaction(async (trx) => {
    trx.onCommit(() => told.push('committed'));
    await sql`insert into counters values ('commit', 1)`.execute(trx);
    expect(told).toEqual([]);
  });
  const refused = db.transaction(async (trx) => {
    trx.onCommit(() => told.push('rolled back'));
    await sql`insert into counters values ('commit', 2)`.execute(trx);
  });
  await expect(refused).rejects.toSatisfy((error) => isUniqueViolation(error, 'counters_pkey'));
  expect(told).toEqual(['committed']);
});

test('has happened, whatever what waited for the commit throws', async () => {
  const committed = db.transaction(async (trx) => {
    trx.onCommit(() => {
      throw new Error('too late');
    });
    return 'done';
  });
  expect(await committed).toBe('done');
});

test('sends the statements of a batch at once, each with its own rows', async () => {
  const rows = await db.transaction((trx) =>
    trx.batch(
      sql<{ one: number }>`select 1 as one`,
      sql<{ two: string }>`select 'two' as two`,
      sql`select where false`,
    ),
  );
  expect(rows).toEqual([[{ one: 1 }], [{ two: 'two' }], []]);
});

test('carries out deferred statements in their order, with the commit', async () => {
  const seen: unknown[] = [];
  await db.transaction(async (trx) => {
    trx.defer(sql`insert into counters values ('end', 1)`);
    trx.defer(sql<{ n: number }>`update counters set n = n + 1 where name = 'end' returning n`, (rows) =>
      seen.push(rows),
    );
    trx.onCommit(() => seen.push('committed'));
    expect(await value("(select count(*) from counters where name = 'end')")).toBe(0);
  });
  expect(seen).toEqual([[{ n: 2 }], 'committed']);
  expect(await value("(select n from counters where name = 'end')")).toBe(2);
});

test('carries out a pipelined statement before what comes after it', async () => {
  await db.transaction(async (trx) => {
    trx.pipeline(sql`insert into counters values ('ahead', 1)`);
    trx.defer(sql`update counters set n = n + 2 where name = 'ahead'`);
    await sql`update counters set n = n * 2 where name = 'ahead'`.execute(trx);
  });
  expect(await value("(select n from counters where name = 'ahead')")).toBe(4);
});

type Sending = (trx: Transaction<SharedTables>, one: RawBuilder<unknown>, two: RawBuilder<unknown>) => unknown;

test.each<[string, Sending]>([
  ['as a batch', (trx, one, two) => trx.batch(one, two)],
  [
    'pipelined',
    async (trx, one, two) => {
      trx.pipeline(one);
      trx.defer(two);
    },
  ],
  [
    'pipelined before others',
    async (trx, one, two) => {
      trx.pipeline(one);
      await two.execute(trx);
    },
  ],
  [
    'pipelined, after a deferred one',
    async (trx, one, two) => {
      trx.defer(two);
      trx.pipeline(one);
    },
  ],
  [
    'deferred',
    async (trx, one, two) => {
      trx.defer(one);
      trx.defer(two);
    },
  ],
])('commits nothing when one of several statements fails that were sent %s, and throws its error', async (_, send) => {
  const told: string[] = [];
  const refused = db.transaction(async (trx) => {
    trx.onCommit(() => told.push('committed'));
    await sql`insert into counters values ('partly', 1)`.execute(trx);
    await send(trx, sql`insert into counters values ('partly', 2)`, sql`insert into counters values ('later', 1)`);
  });
  await expect(refused).rejects.toSatisfy((error) => isUniqueViolation(error, 'counters_pkey'));
  expect(await value("(select count(*) from counters where name in ('partly', 'later'))")).toBe(0);
  expect(told).toEqual([]);
});

test('fails, and commits nothing, when an error inside the transaction was swallowed', async () => {
  const swallowing = db.transaction(async (trx) => {
    await sql`insert into counters values ('swallowed', 1)`.execute(trx);
    await sql`select 1 / 0`.execute(trx).catch(() => {});
  });
  await expect(swallowing).rejects.toThrow();
  expect(await value("(select count(*) from counters where name = 'swallowed')")).toBe(0);
});

test('repeats a transaction that lost a serialization race until its increment is there', async () => {
  await sql`insert into counters values ('race', 0)`.execute(db.kysely);
  const increment = () =>
    db.transaction(
      async (trx) => {
        const { rows } = await sql<{ n: number }>`select n from counters where name = 'race'`.execute(trx);
        await sql`update counters set n = ${rows[0]!.n + 1} where name = 'race'`.execute(trx);
      },
      { isolation: 'repeatable read' },
    );
  // Three at a time: each can lose to two others, and there are three repetitions.
  for (let round = 0; round < 10; round++) await Promise.all([increment(), increment(), increment()]);
  expect(await value("(select n from counters where name = 'race')")).toBe(30);
});

test('refuses to write in a read-only transaction', async () => {
  const writing = db.transaction((trx) => sql`insert into counters values ('x', 1)`.execute(trx), { readOnly: true });
  await expect(writing).rejects.toMatchObject({ code: '25006' });
});

test('works on without a restart after every backend was terminated, idle or in a transaction', async () => {
  await Promise.all([value('pg_sleep(0.05)'), value('pg_sleep(0.05)'), value('pg_sleep(0.05)')]);
  // Of this file's database only: other files' tests, which run meanwhile, have the same login.
  const terminate = `select count(pg_terminate_backend(pid)) from pg_stat_activity
    where usename = 'db_test_flags' and datname = current_database()`;
  const interrupted = db.transaction(async (trx) => {
    await asOwner(schemas.ownerUrl, terminate);
    await sql`insert into counters values ('interrupted', 1)`.execute(trx);
  });
  await expect(interrupted).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  // Whatever was idle is gone too; each of the pool's connections may be found broken once, none twice.
  const whenWhole = (expression: string) => vi.waitFor(() => value(expression), { timeout: 5_000, interval: 10 });
  expect(await whenWhole("(select count(*) from counters where name = 'interrupted')")).toBe(0);
  await asOwner(schemas.ownerUrl, terminate);
  expect(await whenWhole('1')).toBe(1);
});

test('says that the outcome is unknown when the connection breaks in the commit', async () => {
  let pid = 0;
  const cut = db.transaction(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    pid = rows[0]!.pid;
    // Its constraint is looked at by the commit, which takes long.
    trx.defer(sql`insert into slow values ('cut')`);
  });
  const told = expect(cut).rejects.toMatchObject({ code: 'timeout' });
  await expect.poll(() => value(`(select query from pg_stat_activity where pid = ${pid})`)).toBe('commit');
  await asOwner(schemas.ownerUrl, `select pg_terminate_backend(${pid}, 5000)`);
  await told;
});

test('is unavailable, since nothing has happened, when the connection is lost before the commit', async () => {
  const cut = db.transaction(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await asOwner(schemas.ownerUrl, `select pg_terminate_backend(${rows[0]!.pid}, 5000)`);
  });
  await expect(cut).rejects.toMatchObject({ code: 'unavailable' });
});

test('is unavailable when a deferred statement takes too long, and has done nothing', async () => {
  const slow = db.transaction(async (trx) => {
    await sql`insert into counters values ('slow end', 1)`.execute(trx);
    await sql`set local statement_timeout = 50`.execute(trx);
    trx.defer(sql`select pg_sleep(5)`);
  });
  await expect(slow).rejects.toMatchObject({ code: 'unavailable' });
  expect(await value("(select count(*) from counters where name = 'slow end')")).toBe(0);
});

test('commits nothing, and leaves nothing to others, when a deferred statement makes no sense', async () => {
  const broken = { compile: () => expect.unreachable() } as unknown as RawBuilder<unknown>;
  const refused = db.transaction(async (trx) => {
    trx.defer(sql`insert into counters values ('leaked', 1)`);
    trx.defer(broken);
  });
  await expect(refused).rejects.toThrow();
  for (let n = 0; n < 20; n += 1) await db.transaction(async (trx) => void (await sql`select 1`.execute(trx)));
  expect(await value("(select count(*) from counters where name = 'leaked')")).toBe(0);
});

test('has happened, whatever the user of deferred rows throws', async () => {
  const told: string[] = [];
  await db.transaction(async (trx) => {
    trx.defer(sql`insert into counters values ('used', 1)`, () => {
      throw new Error('of no use');
    });
    trx.onCommit(() => told.push('committed'));
  });
  expect(told).toEqual(['committed']);
});

test('does nothing outside a transaction that could not begin', async () => {
  const options = { isolation: 'no such level' as 'serializable' };
  const refused = db.transaction(async (trx) => {
    await sql`select 1`.execute(trx);
    trx.defer(sql`insert into counters values ('auto', 1)`);
  }, options);
  await expect(refused).rejects.toThrow('syntax error');
  expect(await value("(select count(*) from counters where name = 'auto')")).toBe(0);
});

test('is unavailable, not broken, when nobody listens or nobody answers', async () => {
  const mute = net.createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => mute.once('listening', resolve));
  const { port } = mute.address() as net.AddressInfo;
  for (const at of ['127.0.0.1:1', `127.0.0.1:${port}`]) {
    const lost = createDatabase({ url: `postgres://a:b@${at}/c`, schema: 'flags', log: silent });
    await expect(lost.transaction(async () => {})).rejects.toMatchObject({ code: 'unavailable' });
    await lost.close();
  }
  mute.close();
});

test('is unavailable when all connections stay taken', async () => {
  const small = schemas.connect('flags', { maxConnections: 1 });
  let release = () => {};
  const held = small.transaction(() => new Promise<void>((resolve) => (release = resolve)));
  await expect(small.ping()).rejects.toMatchObject({ code: 'unavailable' });
  release();
  await held;
  await small.ping();
});
