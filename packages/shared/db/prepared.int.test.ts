// Proves on a real Postgres that named statements are prepared, keep their plan, and still work after a table has
// changed, and that all others have Postgres' default plans.
import { createTestDatabase, longTest, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../log/index.ts';
import { createDatabase, type Database } from './database.ts';
import { hidden, prepared, sql } from './index.ts';

let testDatabase: TestDatabase;
let db: Database<{ pears: { id: number } }>;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  await testDatabase.rows('create table flags.pears (id integer); insert into flags.pears values (1)');
  await testDatabase.rows('grant select on flags.pears to public');
  const log = createLogger({ service: 'test', level: 'fatal' });
  db = createDatabase({ url: testDatabase.urlFor('flags'), schema: 'flags', log, maxConnections: 1 });
});

afterEach(async () => {
  await db.close();
  await testDatabase.drop();
});

const pears = () => db.kysely.selectFrom('pears').selectAll();
const read = async () => (await prepared('read-pears', pears()).execute(db.kysely)).rows;
const known = async () => (await sql`select name from pg_prepared_statements`.execute(db.kysely)).rows;

test('only a named statement is prepared', async () => {
  for (let n = 0; n < 8; n += 1) await pears().execute();
  expect(await known()).toEqual([]);
  await read();
  expect(await known()).toEqual([{ name: 'read-pears' }]);
});

test('a second text of a name is refused before it is sent, also on another connection', async () => {
  await prepared('find-pear')`select 1 from pears`.execute(db.kysely);
  await expect(prepared('find-pear')`select 2 from pears`.execute(db.kysely)).rejects.toThrow(
    'two statements have the name find-pear',
  );
  await prepared('find-pear')`select 1 from pears`.execute(db.kysely);
});

test('a statement without a name is planned for its values each time', async () => {
  await testDatabase.rows('insert into flags.pears select 2 from generate_series(1, 20000)');
  await testDatabase.rows('create index on flags.pears (id); analyze flags.pears');
  const plan = async (id: number) =>
    JSON.stringify((await sql`explain (format json) select id from pears where id = ${id}`.execute(db.kysely)).rows);
  for (let n = 0; n < 8; n += 1) expect(await plan(2)).toContain('Seq Scan');
  expect(await plan(1)).toContain('Index');
});

test('a hidden value does not keep Postgres from keeping the plan of a named statement', async () => {
  await testDatabase.rows('insert into flags.pears select generate_series(2, 20000)');
  await testDatabase.rows('create index on flags.pears (id); analyze flags.pears');
  const seen = () => prepared('seen')`select id from pears where id = any(${[7]}::integer[])`.execute(db.kysely);
  const unseen = () =>
    prepared('unseen')`select id from pears where id = any(${hidden(sql`${[7]}::integer[]`)}::integer[])`.execute(
      db.kysely,
    );
  for (let n = 0; n < 12; n += 1) expect([...(await seen()).rows, ...(await unseen()).rows]).toHaveLength(2);
  const { rows } = await sql`
    select name, generic_plans::integer as kept, custom_plans::integer as own
    from pg_prepared_statements order by name`.execute(db.kysely);
  expect(rows).toEqual([
    { name: 'seen', kept: 0, own: 12 },
    { name: 'unseen', kept: 7, own: 5 },
  ]);
});

test('after a table has got another column no statement fails, in a transaction or outside', async () => {
  for (let n = 0; n < 8; n += 1) await read();
  await testDatabase.rows('alter table flags.pears add column weight integer default 7');
  const inTransaction = await db.transaction((trx) => prepared('read-pears', pears()).execute(trx));
  expect(inTransaction.rows).toEqual([{ id: 1, weight: 7 }]);
  for (let n = 0; n < 8; n += 1) await read();
  await testDatabase.rows('alter table flags.pears add column colour text');
  for (let n = 0; n < 8; n += 1) await read();
  expect(await read()).toEqual([{ id: 1, weight: 7, colour: null }]);
});

test('a transaction whose last statement has a stale plan runs again as a whole, and commits once', async () => {
  await testDatabase.rows('grant insert on flags.pears to public');
  const eat = (id: number) =>
    db.transaction(async (trx) => {
      await prepared('eat')`insert into pears (id) values (${id}) returning *`.execute(trx);
      trx.defer(prepared('eat-last')`insert into pears (id) values (${-id}) returning *`);
    });
  for (let n = 2; n < 12; n += 1) await eat(n);
  await testDatabase.rows('alter table flags.pears add column weight integer');
  await eat(12);
  await testDatabase.rows('alter table flags.pears add column colour text');
  await eat(13);
  const [eaten] = await testDatabase.rows(
    'select count(*)::integer as all, count(distinct id)::integer as distinct from flags.pears',
  );
  expect(eaten).toEqual({ all: 25, distinct: 25 });
});

longTest('a plan that was made for an empty table is replaced when the table has grown', async () => {
  const byId = () => prepared('by-id')<{ id: number }>`select id from pears where id = ${700}`.execute(db.kysely);
  const plan = async () =>
    JSON.stringify((await sql`explain (analyze, format json) execute "by-id" (700)`.execute(db.kysely)).rows);
  await testDatabase.rows('create index on flags.pears (id)');
  for (let n = 0; n < 12; n += 1) await byId();
  expect(await plan()).toContain('Seq Scan');
  await testDatabase.rows('insert into flags.pears select generate_series(2, 50000)');
  await vi.waitFor(async () => expect(await plan()).toContain('Index'), { timeout: 10_000, interval: 250 });
});
