// Proves the promises to callers: types of values, transactions, and automatic reconnection.
// Does not assert how the pool implements them.

import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { longTest } from '@yardarm/testing';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { keepingLogger } from '../bus/testing/bus-rig.ts';
import {
  createDatabase,
  type Database,
  isRefusedLogin,
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

test('returns bigint as a number, timestamptz as a Date and date as text', async () => {
  expect(await value('9007199254740991::bigint')).toBe(Number.MAX_SAFE_INTEGER);
  expect(await value('(select count(*) from counters)')).toBe(0);
  expect(await value("array[1, null]::bigint[] || '{}'::bigint[]")).toEqual([1, null]);
  expect(await value("'2026-01-02 03:04:05.678+00'::timestamptz")).toEqual(new Date('2026-01-02T03:04:05.678Z'));
  expect(await value("'2026-01-02'::date")).toBe('2026-01-02');
});

test('no statement is compiled to machine code', async () => {
  expect(await value("current_setting('jit')")).toBe('off');
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

test('runs the callbacks of onCommit after a commit, and never after a rollback', async () => {
  const called: string[] = [];
  await db.transaction(async (trx) => {
    trx.onCommit(() => called.push('committed'));
    await sql`insert into counters values ('commit', 1)`.execute(trx);
    expect(called).toEqual([]);
  });
  const refused = db.transaction(async (trx) => {
    trx.onCommit(() => called.push('rolled back'));
    await sql`insert into counters values ('commit', 2)`.execute(trx);
  });
  await expect(refused).rejects.toSatisfy((error) => isUniqueViolation(error, 'counters_pkey'));
  expect(called).toEqual(['committed']);
});

test('stays committed when a callback of onCommit throws', async () => {
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

test('executes deferred statements in their order, with the commit', async () => {
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

test('executes a pipelined statement before later statements', async () => {
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
])('commits nothing when one of several statements that were sent %s fails, and throws its error', async (_, send) => {
  const called: string[] = [];
  const refused = db.transaction(async (trx) => {
    trx.onCommit(() => called.push('committed'));
    await sql`insert into counters values ('partly', 1)`.execute(trx);
    await send(trx, sql`insert into counters values ('partly', 2)`, sql`insert into counters values ('later', 1)`);
  });
  await expect(refused).rejects.toSatisfy((error) => isUniqueViolation(error, 'counters_pkey'));
  expect(await value("(select count(*) from counters where name in ('partly', 'later'))")).toBe(0);
  expect(called).toEqual([]);
});

test('throws and commits nothing when `fn` swallows the error of a statement', async () => {
  const swallowing = db.transaction(async (trx) => {
    await sql`insert into counters values ('swallowed', 1)`.execute(trx);
    await sql`select 1 / 0`.execute(trx).catch(() => {});
  });
  await expect(swallowing).rejects.toThrow();
  expect(await value("(select count(*) from counters where name = 'swallowed')")).toBe(0);
});

test('repeats a transaction after a serialization failure until it commits', async () => {
  await sql`insert into counters values ('race', 0)`.execute(db.kysely);
  const increment = () =>
    db.transaction(
      async (trx) => {
        const { rows } = await sql<{ n: number }>`select n from counters where name = 'race'`.execute(trx);
        await sql`update counters set n = ${rows[0]!.n + 1} where name = 'race'`.execute(trx);
      },
      { isolation: 'repeatable read' },
    );
  // Three at a time: each can fail twice because of the other two, and three repetitions are allowed.
  for (let round = 0; round < 10; round++) await Promise.all([increment(), increment(), increment()]);
  expect(await value("(select n from counters where name = 'race')")).toBe(30);
});

test('refuses to write in a read-only transaction', async () => {
  const writing = db.transaction((trx) => sql`insert into counters values ('x', 1)`.execute(trx), { readOnly: true });
  await expect(writing).rejects.toMatchObject({ code: '25006' });
});

test('reconnects after every backend was terminated, idle or in a transaction', async () => {
  await Promise.all([value('pg_sleep(0.05)'), value('pg_sleep(0.05)'), value('pg_sleep(0.05)')]);
  // Only in this file's database: tests of other files have the same login and run at the same time.
  const terminate = `select count(pg_terminate_backend(pid)) from pg_stat_activity
    where usename = 'db_test_flags' and datname = current_database()`;
  const interrupted = db.transaction(async (trx) => {
    await asOwner(schemas.ownerUrl, terminate);
    await sql`insert into counters values ('interrupted', 1)`.execute(trx);
  });
  await expect(interrupted).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  // The idle connections are broken too. Each of the pool's connections may fail once, none twice.
  const eventually = (expression: string) => vi.waitFor(() => value(expression), { timeout: 5_000, interval: 10 });
  expect(await eventually("(select count(*) from counters where name = 'interrupted')")).toBe(0);
  await asOwner(schemas.ownerUrl, terminate);
  expect(await eventually('1')).toBe(1);
});

test('reports an unknown outcome when the connection breaks during the commit', async () => {
  let pid = 0;
  const interrupted = db.transaction(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    pid = rows[0]!.pid;
    // The commit checks its deferred constraint, which takes long.
    trx.defer(sql`insert into slow values ('cut')`);
  });
  const rejection = expect(interrupted).rejects.toMatchObject({ code: 'timeout' });
  await expect.poll(() => value(`(select query from pg_stat_activity where pid = ${pid})`)).toBe('commit');
  await asOwner(schemas.ownerUrl, `select pg_terminate_backend(${pid}, 5000)`);
  await rejection;
});

test('is unavailable when the connection is lost before the commit', async () => {
  const interrupted = db.transaction(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await asOwner(schemas.ownerUrl, `select pg_terminate_backend(${rows[0]!.pid}, 5000)`);
  });
  await expect(interrupted).rejects.toMatchObject({ code: 'unavailable' });
});

test('is unavailable when a deferred statement takes too long, and commits nothing', async () => {
  const slow = db.transaction(async (trx) => {
    await sql`insert into counters values ('slow end', 1)`.execute(trx);
    await sql`set local statement_timeout = 50`.execute(trx);
    trx.defer(sql`select pg_sleep(5)`);
  });
  await expect(slow).rejects.toMatchObject({ code: 'unavailable' });
  expect(await value("(select count(*) from counters where name = 'slow end')")).toBe(0);
});

test('commits nothing, also in later transactions, when a deferred statement cannot be compiled', async () => {
  const broken = { compile: () => expect.unreachable() } as unknown as RawBuilder<unknown>;
  const refused = db.transaction(async (trx) => {
    trx.defer(sql`insert into counters values ('leaked', 1)`);
    trx.defer(broken);
  });
  await expect(refused).rejects.toThrow();
  for (let n = 0; n < 20; n += 1) await db.transaction(async (trx) => void (await sql`select 1`.execute(trx)));
  expect(await value("(select count(*) from counters where name = 'leaked')")).toBe(0);
});

test('stays committed when the callback of a deferred statement throws', async () => {
  const called: string[] = [];
  await db.transaction(async (trx) => {
    trx.defer(sql`insert into counters values ('used', 1)`, () => {
      throw new Error('cannot use the rows');
    });
    trx.onCommit(() => called.push('committed'));
  });
  expect(called).toEqual(['committed']);
});

test('executes no statement when the transaction could not begin', async () => {
  const options = { isolation: 'no such level' as 'serializable' };
  const refused = db.transaction(async (trx) => {
    await sql`select 1`.execute(trx);
    trx.defer(sql`insert into counters values ('auto', 1)`);
  }, options);
  await expect(refused).rejects.toThrow('syntax error');
  expect(await value("(select count(*) from counters where name = 'auto')")).toBe(0);
});

test('is unavailable when no server listens or the server does not answer', async () => {
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

longTest('is unavailable while all connections are in use, and does not leave its host', async () => {
  let connections = 0;
  const standby = net.createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => standby.listen(0, '127.0.0.1', resolve));
  const { host } = new URL(schemas.urlFor('flags'));
  const hosts = `${host},127.0.0.1:${(standby.address() as net.AddressInfo).port}`;
  const url = schemas.urlFor('flags').replace(host, hosts);
  const small = schemas.connect('flags', { maxConnections: 1, url });
  let release = () => {};
  const blocking = small.transaction(() => new Promise<void>((resolve) => (release = resolve)));
  await expect(small.ping()).rejects.toMatchObject({ code: 'unavailable' });
  release();
  await blocking;
  await small.ping();
  // The next statement opens a connection.
  await expect(sql`select pg_terminate_backend(pg_backend_pid())`.execute(small.kysely)).rejects.toThrow();
  await small.ping();
  expect(connections).toBe(0);
  standby.close();
});

test('a refused login is unavailable until a new connection is accepted, also while an open one still works', async () => {
  const login = `db_test_refused_${randomBytes(4).toString('hex')}`;
  const change = (password: string) => asOwner(schemas.ownerUrl, `alter role ${login} password '${password}'`);
  await asOwner(schemas.ownerUrl, `create role ${login} login password 'first' in role db_test_flags`);
  const url = new URL(schemas.urlFor('flags'));
  url.username = login;
  url.password = 'first';
  const { log, lines } = keepingLogger();
  const refused = schemas.connect('flags', { url: url.href, log, maxConnections: 2 });
  await refused.ping();
  await change('second');
  // The open connection is in use, so the second statement needs a new one.
  const open = refused.transaction(async (trx) => {
    const asked = refused.ping();
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', cause: { code: '28P01' } });
    await sql`select 1`.execute(trx);
  });
  await open;
  for (let attempt = 0; attempt < 3; attempt += 1) await expect(refused.ping()).rejects.toSatisfy(isRefusedLogin);
  await sql`select 1`.execute(refused.kysely);
  await change('first');
  await refused.ping();
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [50, 'Postgres refuses the login of this service: compare the password in DATABASE_URL'],
    [30, 'Postgres accepts the login of this service again'],
  ]);
  await refused.close();
  await asOwner(schemas.ownerUrl, `drop role ${login}`);
});
