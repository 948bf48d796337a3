// Tests which events retention drops and keeps. The owner creates partitions of ten ids instead of a million; retention
// uses only their bounds.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readHeadsIn, verifyLog } from '../chain/verify-log.ts';
import { LogUnderTest, someEvents } from '../testing/log-under-test.ts';
import { dropOldPartitions } from './drop-old-partitions.ts';

let database: TestDatabase;
let log: LogUnderTest;
let service: RunningService;

beforeEach(async () => {
  database = await createTestDatabase();
  await database.rows(`
    set role yardarm_events_owner; set search_path = events;
    drop table events_p0, events_p1, events_p2;
    create table events_p0 partition of events for values from (0) to (10);
    create table events_p1 partition of events for values from (10) to (20);
    create table events_p2 partition of events for values from (20) to (3000000)`);
  log = await LogUnderTest.open(database);
  service = await log.start();
});

afterEach(async () => {
  await log.close();
  await database.drop();
});

async function record(count: number): Promise<void> {
  await log.publish(someEvents(count, (n) => ({ featureName: n < 5 ? 'early' : 'late', project: `p${n % 2}` })));
  await service.processAll();
}

const age = (days: number, upTo: number) =>
  database.rows(`update events.events set recorded_at = now() - make_interval(days => $1) where id <= $2`, [
    days,
    upTo,
  ]);
const dropped = async () => (await dropOldPartitions(log.db, 30))?.id ?? null;
const ids = async () => (await log.entries()).map(({ id }) => id);

async function totalOf(kind: 'total' | 'type' | 'project' | 'feature' = 'total', name = ''): Promise<number> {
  const counters = log.db.kysely.selectFrom('event_counters').select('total');
  const row = await counters.where('kind', '=', kind).where('name', '=', name).executeTakeFirst();
  return row?.total ?? 0;
}

test('partitions with only old events are dropped, and the totals fall', async () => {
  await record(30);
  await age(31, 15);
  expect(await dropped()).toBe(9);
  expect((await ids())[0]).toBe(10);
  expect(await totalOf()).toBe(21);
  expect(await totalOf('feature', 'early')).toBe(0);
  expect(await totalOf('feature', 'late')).toBe(21);
  expect(await totalOf('project', 'p0')).toBe(10);
  expect(await totalOf('type', 'feature-created')).toBe(21);
});

test('the remaining events are verified from the last dropped hash', async () => {
  await record(30);
  await age(31, 19);
  expect(await dropped()).toBe(19);
  expect(await verifyLog(log.db, { from: 1 })).toMatchObject({ from: 20, to: 30, verified: 11, firstBroken: null });
  await database.rows(`update events.events set created_by = 'eve' where id = 20`);
  expect((await verifyLog(log.db, { from: 1 })).firstBroken?.id).toBe(20);
});

test('a file of heads gets the last event of each drop, and a failed write prevents the drop', async () => {
  await record(30);
  await age(31, 29);
  const hashes = await log.db.kysely.selectFrom('events').select(['id', 'hash']).where('id', 'in', [9, 19]).execute();
  const folder = await mkdtemp(join(tmpdir(), 'heads-'));
  await writeFile(join(folder, 'file'), '');
  await expect(dropOldPartitions(log.db, 30, join(folder, 'file'))).rejects.toThrow('EEXIST');
  expect((await ids())[0]).toBe(1);
  await dropOldPartitions(log.db, 30, join(folder, 'heads'));
  expect(await readHeadsIn(join(folder, 'heads'))).toMatchObject({ heads: [], dropped: hashes });
  await rm(folder, { recursive: true });
});

test('a disk that takes no line postpones the drop, and holds the lock of the recorder no longer than that', async () => {
  await record(15);
  await age(31, 15);
  const folder = await mkdtemp(join(tmpdir(), 'heads-'));
  const file = join(folder, `${hostname()}-${new Date().toISOString().slice(0, 7)}.heads`);
  execFileSync('mkfifo', [file]);
  const pipe = await open(file, constants.O_RDWR | constants.O_NONBLOCK);
  const fill = async () => {
    for (;;) await pipe.write(Buffer.alloc(65_536));
  };
  await expect(fill()).rejects.toThrow('EAGAIN');
  const before = performance.now();
  await expect(dropOldPartitions(log.db, 30, folder)).rejects.toThrow('did not take a line within 1000 ms');
  expect(performance.now() - before).toBeLessThan(5_000);
  expect((await ids())[0]).toBe(1);
  // The write ends when the pipe has room.
  await pipe.read(Buffer.alloc(1_048_576));
  await pipe.close();
  await rm(folder, { recursive: true });
});

test('a dropped event that is published again is not recorded again', async () => {
  const events = someEvents(20);
  await log.publish(events);
  await service.processAll();
  await age(31, 20);
  await dropOldPartitions(log.db, 30);
  await log.publish(events, ({ eventId }) => `again-${eventId}`);
  await service.processAll();
  expect(await ids()).toEqual([20]);
});

test('retention keeps the current partition', async () => {
  await record(19);
  await age(31, 19);
  expect(await dropped()).toBe(19);
  expect(await dropped()).toBe(null);
});

test('a reader that blocks the drop postpones it, and nothing is half done', async () => {
  await record(15);
  await age(31, 15);
  await log.db.transaction(async (trx) => {
    await trx.selectFrom('events').select('id').limit(1).execute();
    await expect(dropOldPartitions(log.db, 30)).rejects.toMatchObject({ code: 'unavailable' });
  });
  expect(await totalOf()).toBe(15);
  expect(await dropped()).toBe(9);
  expect(await totalOf()).toBe(6);
});

test('the recorder continues while partitions are dropped, and totals stay exact', async () => {
  await record(30);
  await age(31, 30);
  const publishing = log.publish(someEvents(200));
  await dropOldPartitions(log.db, 30);
  await publishing;
  await service.processAll();
  expect(await totalOf()).toBe((await ids()).length);
  expect(await totalOf()).toBe(211);
});

test('the login cannot keep less than eight days', async () => {
  await expect(dropOldPartitions(log.db, 7)).rejects.toMatchObject({ code: '22023' });
});
