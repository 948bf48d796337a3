// Proves that a search whose texts take long is refused, and that other searches are answered meanwhile.
import { randomBytes } from 'node:crypto';
import { systemActor } from '@yardarm/shared/contracts';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { publishedEvent } from '@yardarm/testing/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LogUnderTest } from '../testing/log-under-test.ts';
import { createKnownMatches } from './known-matches.ts';
import { makePageTurns } from './page-turns.ts';
import { searchFor } from './search.ts';
import { searchEvents } from './search-events.ts';

/**
 * Postgres compares each position of the events with most of the text. The events have all trigrams of it, so that an
 * index excludes none of them.
 */
const eventsOfEqualLetters = 2_000;
const adversarial = (length: number) => `${'a'.repeat(length)}b`;

let database: TestDatabase;
let log: LogUnderTest;

beforeAll(async () => {
  database = await createTestDatabase();
  const prefix = `t${randomBytes(6).toString('hex')}`;
  log = await LogUnderTest.open(database, prefix);
  const service = await log.start();
  await log.publish([publishedEvent({ project: 'other' })]);
  await service.processAll();
  await database.rows(`
    insert into events.events
    select copied.* from events.events e cross join generate_series(1, ${eventsOfEqualLetters}) as n cross join lateral
      json_populate_record(e, json_build_object(
        'id', e.id + n, 'event_id', gen_random_uuid(), 'project', 'default', 'search_text', repeat('a', 500) || 'b' || repeat('a', 9500)
      )) as copied
    where e.id = 1`);
  await database.rows(`update events.recorder_position set last_id = ${eventsOfEqualLetters + 1}`);
});

afterAll(async () => {
  await log?.close();
  await database?.drop();
});

const shared = { known: createKnownMatches(), turns: makePageTurns() };
const searching = (query: string, limitMs: number, id = systemActor.id) =>
  searchEvents(
    { db: log.db, ...shared, limitMs },
    searchFor({ query }, 'everything'),
    { limit: 10, skip: 0 },
    { actor: { ...systemActor, id }, deadline: Number.POSITIVE_INFINITY },
  );

test('a search whose texts take long is refused, and says what to search for', async () => {
  await expect(searching(adversarial(900), 50)).rejects.toMatchObject({
    code: 'bad-data',
    message: expect.stringMatching(/longer than 0.05 seconds.*shorter text/),
  });
});

test('the searches of another caller are answered between those of one with many', async () => {
  let refused = 0;
  const attack = async (n: number) => {
    await expect(searching(adversarial(900 + n), 50, 1)).rejects.toMatchObject({ code: 'bad-data' });
    refused += 1;
  };
  const attacks = Array.from({ length: 12 }, (_, n) => attack(n));
  const parts = await Array.fromAsync(await searching('other', 60_000, 2));
  expect(refused).toBeLessThan(attacks.length);
  expect(parts[0]!.total).toBe(0);
  await Promise.all(attacks);
});
