// Proves with events of the largest size: pages are bounded by bytes, and a page beyond the bound delays no other page.
import { randomBytes } from 'node:crypto';
import { findEvents, readAfter, searchEvents } from '@yardarm/shared/contracts/events';
import type { AppError } from '@yardarm/shared/errors';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, longTest, type TestDatabase } from '@yardarm/testing';
import { admin, contextOf } from '@yardarm/testing/callers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LogUnderTest, someEvents } from '../testing/log-under-test.ts';
import { maxPageBytes } from './page-frames.ts';

const bytes = 900_000;
const count = Math.ceil(maxPageBytes / bytes) + 1;

let database: TestDatabase;
let log: LogUnderTest;
let service: RunningService;

beforeAll(async () => {
  database = await createTestDatabase();
  const prefix = `t${randomBytes(6).toString('hex')}`;
  log = await LogUnderTest.open(database, prefix);
  service = await log.start();
  await log.publish(someEvents(1, () => ({ data: { filling: 'x'.repeat(bytes) } })));
  await service.processAll();
  // Copies in the database, because recorder and streams would handle 50 MB for a minute on a busy machine.
  await database.rows(`
    insert into events.events
    select copied.* from events.events e cross join generate_series(1, ${count - 1}) as n cross join lateral
      json_populate_record(e, json_build_object('id', e.id + n, 'event_id', gen_random_uuid(), 'search_text', '')) as copied
    where e.id = 1`);
  await database.rows(`update events.event_counters set total = ${count}`);
  await database.rows(`update events.recorder_position set last_id = ${count}`);
}, 60_000);

afterAll(async () => {
  await log?.close();
  await database?.drop();
});

/** On a busy machine 50 MB take longer than a request may. */
const context = () => contextOf(admin, 60_000);

longTest('a page of more bytes than the bound is refused and names its limit, and a smaller one is whole', async () => {
  for (const limit of [1_000, 100]) {
    await expect(log.bus.request(findEvents, { limit }, context())).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining(`\`limit\` ${limit} has more than ${maxPageBytes} bytes`),
    });
  }
  await expect(log.bus.request(searchEvents, { limit: 100 }, context())).rejects.toMatchObject({ code: 'bad-data' });
  const ids: number[] = [];
  for (let skip = 0; skip < count; skip += 50) {
    const { events, total } = await log.bus.request(findEvents, { limit: 50, skip }, context());
    expect(total).toBe(count);
    ids.push(...events.map(({ id }) => id));
  }
  expect(ids).toEqual(Array.from({ length: count }, (_, n) => count - n));
});

test('streams and exports read no more than their page of bytes', async () => {
  const startedAt = performance.now();
  for (let after = 0; after < 10; after += 1) {
    const { events, through } = await log.bus.request(readAfter, { after, limit: 200 }, context());
    expect(events.map(({ id }) => id)).toEqual([after + 1, after + 2]);
    expect(through).toBe(after + 2);
  }
  // It takes 20 ms, and took a second when Postgres sent all 57 events of 900 kB.
  expect((performance.now() - startedAt) / 10).toBeLessThan(300);
});

test('a process that stops answers every page that it has taken', async () => {
  const ask = () => log.bus.request(findEvents, { limit: 1_000 }, context()).catch((error: unknown) => error);
  const answers = Array.from({ length: 5 }, ask);
  await log.bus.flush();
  await log.stop(service);
  for (const [index, answer] of (await Promise.all(answers)).entries()) {
    // Others wait for their turn for three seconds at most.
    const waitedTooLong = { code: 'unavailable', message: expect.stringContaining('Too many callers') };
    if (index === 0 || (answer as AppError).code === 'bad-data') expect(answer).toMatchObject({ code: 'bad-data' });
    else expect(answer).toMatchObject(waitedTooLong);
  }
});
