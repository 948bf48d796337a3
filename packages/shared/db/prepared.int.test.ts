// Proves on a real Postgres that statements which come again are prepared, and go on when a table changes under them.
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../log/index.ts';
import { createDatabase, type Database } from './database.ts';
import { sql } from './index.ts';

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

test('a statement that is asked for often is prepared, one that is not is not', async () => {
  for (let n = 0; n < 4; n += 1) await read();
  expect(await prepared()).toEqual([]);
  await read();
  await sql`select 1 as once`.execute(db.kysely);
  expect(await prepared()).toEqual([{ statement: 'select * from "pears"' }]);
});

test('a table that gets another column costs nobody a statement, in a transaction or outside', async () => {
  for (let n = 0; n < 8; n += 1) await read();
  await testDatabase.rows('alter table flags.pears add column weight integer default 7');
  expect(await db.transaction((trx) => trx.selectFrom('pears').selectAll().execute())).toEqual([{ id: 1, weight: 7 }]);
  for (let n = 0; n < 8; n += 1) await read();
  await testDatabase.rows('alter table flags.pears add column colour text');
  for (let n = 0; n < 8; n += 1) await read();
  expect(await read()).toEqual([{ id: 1, weight: 7, colour: null }]);
});
