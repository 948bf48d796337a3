// The range that a read of the log covers after restores of the database.
import { createDatabase, type Database } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventsTables } from '../db/schema.ts';
import { findTail } from './tail.repo.ts';

const epochs = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const lostEpoch = '00000000-0000-4000-8000-00000000000f';
let database: TestDatabase;
let db: Database<EventsTables>;

/** A restore to the event 12, new events, a restore to the event 10, and a log that ends at 15. */
beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLogger({ service: 'events', level: 'fatal' });
  db = createDatabase<EventsTables>({ url: database.urlFor('events'), schema: 'events', log });
  await database.rows(`
    insert into events.restores (epoch, last_id) values ('${epochs[0]}', 12), ('${epochs[1]}', 10);
    update events.recorder_position set last_id = 15`);
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

test.each<[string, number, string | null | undefined, number]>([
  ['of before both restores', 14, null, 10],
  ['of between them', 14, epochs[0], 10],
  ['of after them', 14, epochs[1], 14],
  ['of after them, beyond the end', 20, epochs[1], 10],
  ['that the backups do not have', 14, lostEpoch, 10],
  ['that is not named', 14, undefined, 14],
])('a read in an epoch %s begins behind what was restored since', async (_what, after, epoch, from) => {
  expect(await findTail(db, { after, epoch, limit: 10 })).toMatchObject({ after: from, head: 15, epoch: epochs[1] });
});

test('restores by versions that did not keep the end of the log move no read', async () => {
  await database.rows('update events.restores set last_id = null');
  expect(await findTail(db, { after: 14, epoch: null, limit: 10 })).toMatchObject({ after: 14, head: 15 });
});
