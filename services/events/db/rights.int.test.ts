// Tests that Postgres refuses what the service's login may not do.
import { createDatabase, type Database, sql } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventsTables } from './schema.ts';

let database: TestDatabase;
let db: Database<EventsTables>;

beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLogger({ service: 'events', level: 'fatal' });
  db = createDatabase<EventsTables>({ url: database.urlFor('events'), schema: 'events', log });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

test.each([
  ['update the log', "update events set type = 'x'"],
  ['delete from the log', 'delete from events'],
  ['empty the log', 'truncate events'],
  ['change a partition of the log directly', "update events_p0 set type = 'x'"],
  ['insert into a partition directly', 'insert into events_p0 select * from events'],
  ['delete recorded event ids', 'delete from recorded_ids'],
  ['create tables', 'create table mine ()'],
])('the login may not %s', async (_what, statement) => {
  await expect(sql.raw(statement).execute(db.kysely)).rejects.toMatchObject({ code: '42501' });
});
