// Proves on a real Postgres that recurring statements are prepared, and still work after a table has changed.
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../log/index.ts';
import { createDatabase, type Database } from './database.ts';
import { plannedForValues, sql } from './index.ts';

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

const read = () => db.kysely.selectFrom('pears').selectAll().execute();
const prepared = async () => (await sql`select statement from pg_prepared_statements`.execute(db.kysely)).rows;

test('only a recurring statement is prepared', async () => {
  for (let n = 0; n < 4; n += 1) await read();
  expect(await prepared()).toEqual([]);
  await read();
  await sql`select 1 as once`.execute(db.kysely);
  expect(await prepared()).toEqual([{ statement: 'select * from "pears"' }]);
});

test('a statement that is planned for its values is never prepared', async () => {
  const marked = () =>
    db.kysely.selectFrom('pears').select('id').where('id', '=', 1).modifyEnd(plannedForValues).execute();
  for (let n = 0; n < 8; n += 1) expect(await marked()).toEqual([{ id: 1 }]);
  expect(await prepared()).toEqual([]);
  expect((await sql`show plan_cache_mode`.execute(db.kysely)).rows).toEqual([
    { plan_cache_mode: 'force_generic_plan' },
  ]);
});

test('a search is planned for its values each time', async () => {
  await testDatabase.rows('insert into flags.pears select 2 from generate_series(1, 20000)');
  await testDatabase.rows('create index on flags.pears (id); analyze flags.pears');
  const plan = async (id: number) => {
    const search = sql`explain (format json) select id from pears where id = ${id} ${plannedForValues}`;
    return JSON.stringify((await search.execute(db.kysely)).rows);
  };
  for (let n = 0; n < 8; n += 1) expect(await plan(2)).toContain('Seq Scan');
  expect(await plan(1)).toContain('Index');
});

test('after a table has got another column no statement fails, in a transaction or outside', async () => {
  for (let n = 0; n < 8; n += 1) await read();
  await testDatabase.rows('alter table flags.pears add column weight integer default 7');
  expect(await db.transaction((trx) => trx.selectFrom('pears').selectAll().execute())).toEqual([{ id: 1, weight: 7 }]);
  for (let n = 0; n < 8; n += 1) await read();
  await testDatabase.rows('alter table flags.pears add column colour text');
  for (let n = 0; n < 8; n += 1) await read();
  expect(await read()).toEqual([{ id: 1, weight: 7, colour: null }]);
});

test('a transaction whose last statement has a stale plan runs again as a whole, and commits once', async () => {
  await testDatabase.rows('grant insert on flags.pears to public');
  const eat = (id: number) =>
    db.transaction(async (trx) => {
      await sql`insert into pears (id) values (${id}) returning *`.execute(trx);
      trx.defer(sql`insert into pears (id) values (${-id}) returning *`);
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

test('a plan that was made for an empty table is replaced when the table has grown', async () => {
  const byId = () => sql<{ id: number }>`select id from pears where id = ${700}`.execute(db.kysely);
  const plan = async () => {
    const name = (
      await sql<{ name: string }>`select name from pg_prepared_statements where statement like '%where id%'`.execute(
        db.kysely,
      )
    ).rows[0]!.name;
    return JSON.stringify(
      (await sql`explain (analyze, format json) execute ${sql.raw(name)} (700)`.execute(db.kysely)).rows,
    );
  };
  await testDatabase.rows('create index on flags.pears (id)');
  for (let n = 0; n < 12; n += 1) await byId();
  expect(await plan()).toContain('Seq Scan');
  await testDatabase.rows('insert into flags.pears select generate_series(2, 50000)');
  await vi.waitFor(async () => expect(await plan()).toContain('Index'), { timeout: 10_000, interval: 250 });
});
