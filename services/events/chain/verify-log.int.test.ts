// Tests against a real Postgres that verification detects tampering by the table's owner and names the event.
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import { casesOfRun, createTestDatabase, longTest, type TestDatabase } from '@yardarm/testing';
import { publishedEvent } from '@yardarm/testing/events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogUnderTest, someEvents } from '../testing/log-under-test.ts';
import { findHead, findLinks } from './chain.repo.ts';
import { hashOf, hashOfVersion1, type Link } from './chain.ts';
import { checkHeads, type ExportedHeads, noHeads, verifyLog } from './verify-log.ts';

let database: TestDatabase;
let log: LogUnderTest;

beforeEach(async () => {
  database = await createTestDatabase();
  log = await LogUnderTest.open(database);
});

afterEach(async () => {
  await log.close();
  await database.drop();
});

async function record(events: readonly PublishedEvent[]): Promise<void> {
  const service = await log.start();
  await log.publish(events);
  await service.processAll();
  await log.stop(service);
}

/** Changes an event as the owner and recomputes the chain from there. */
async function rewrite(id: number): Promise<void> {
  await database.rows(`update events.events set environment = 'elsewhere' where id = $1`, [id]);
  let { hash } = (await findLinks(log.db.kysely, id - 2, id - 1, 1))[0]!;
  for (const event of await findLinks(log.db.kysely, id - 1, Number.MAX_SAFE_INTEGER, 1_000)) {
    hash = hashOf(hash!, event);
    await database.rows('update events.events set hash = $1 where id = $2', [hash, event.id]);
  }
  await database.rows('update events.recorder_position set chain_hash = $1', [hash]);
}

/** Inserts an anchor which says that retention dropped all events up to this one. */
const forgeRetention = (id: number) =>
  database.rows(
    `insert into events.chain_anchors (after_id, hash, reason)
      select id, hash, 'retention' from events.events where id = $1`,
    [id],
  );

/** The heads that were exported when each of these was the newest event. */
async function headsOf(...ids: number[]): Promise<Link[]> {
  const links = await findLinks(log.db.kysely, 0, Number.MAX_SAFE_INTEGER, 1_000);
  return links.filter(({ id }) => ids.includes(id)).map(({ id, hash }) => ({ id, hash: hash! }));
}

/** A file of heads that were all exported at the same time. */
function fileOf(lines: { heads?: Link[]; dropped?: Link[] }): ExportedHeads {
  const timed = (links: Link[] = []) => links.map((link) => ({ at: '2026-01-01', ...link }));
  return { ...noHeads(), heads: timed(lines.heads), dropped: timed(lines.dropped) };
}

const firstBroken = async (from = 1) => (await verifyLog(log.db, { from })).firstBroken?.id ?? null;

test('an unchanged log is verified across batches and recorders', async () => {
  await record(someEvents(150));
  await record(someEvents(150));
  const head = await findHead(log.db.kysely);
  expect(await verifyLog(log.db, { from: 1 })).toEqual({
    ...{ from: 1, to: 300, verified: 300, firstBroken: null, next: null },
    head: { id: 300, hash: head.hash },
  });
  expect(await verifyLog(log.db, { from: 120, to: 130 })).toMatchObject({ from: 120, to: 130, verified: 11 });
  for (const from of [301, 1_000])
    expect(await verifyLog(log.db, { from })).toMatchObject({ verified: 0, firstBroken: null, next: null });
});

test('an empty log is verified', async () => {
  expect(await verifyLog(log.db, { from: 1 })).toMatchObject({ verified: 0, firstBroken: null, next: null });
});

test('values that are hard to keep in JSON are read back with their recorded hash', async () => {
  const data = JSON.parse(
    String.raw`{"z":1.0,"a":-0,"big":12345678901234567890,"e":1e-7,"half":"\ud83d","nul":"\u0000","pair":"😀","é":"e\u0301",` +
      `"__proto__":{"toJSON":1},"2":1,"10":2,"deep":${'['.repeat(900)}${']'.repeat(900)}}`,
  );
  const createdAt = '2026-01-01T00:00:00.123999Z';
  await record([
    publishedEvent({
      data,
      createdAt,
      createdBy: 'half \ud83d',
      featureName: '\udc00',
      project: 'ünï',
      preData: { x: [null] },
    }),
    // Only a foreign publisher could write this: a number beyond the range of a double.
    publishedEvent({ data: { max: Number.POSITIVE_INFINITY } }),
    publishedEvent({ data: JSON.parse(`{"deep":${'['.repeat(2_000)}${']'.repeat(2_000)}}`) }),
    publishedEvent(),
  ]);
  expect(await verifyLog(log.db, { from: 1 })).toMatchObject({ verified: 3, firstBroken: null });
  const rejected = await log.db.kysely.selectFrom('rejected_messages').select('reason').execute();
  expect(rejected).toEqual([{ reason: expect.stringContaining('nested deeper') }]);
});

test.each<[string, string, number]>(
  casesOfRun(5, [
    ['changes an event', `update events.events set data = '{"name":"other"}' where id = 20`, 20],
    [
      'forges an anchor of retention over existing events',
      `update events.events set data = '{}' where id = 20;
      insert into events.chain_anchors (after_id, hash, reason) select id, hash, 'retention' from events.events where id = 39`,
      1,
    ],
    [
      'cuts off the end and moves the position of the recorder',
      'delete from events.events where id >= 20; update events.recorder_position set last_id = 19, chain_id = 19',
      19,
    ],
    [
      'changes the time of an event',
      `update events.events set created_at = created_at + interval '1 ms' where id = 20`,
      20,
    ],
    ['deletes an event', 'delete from events.events where id = 20', 20],
    [
      'deletes an event and closes the gap',
      'delete from events.events where id = 20; update events.events set id = id - 1 where id > 20',
      20,
    ],
    [
      'exchanges two events',
      'update events.events set id = 1000 + id where id in (20, 30); update events.events set id = 1050 - id where id > 1000',
      20,
    ],
    ['hides an event from searches', `update events.events set search_text = 'nothing' where id = 20`, 20],
    ['changes the username of the creator', `update events.events set created_by_username = 'eve' where id = 20`, 20],
    ['changes the event id', 'update events.events set event_id = gen_random_uuid() where id = 20', 20],
    ['changes the source', `update events.events set source = 'accounts' where id = 20`, 20],
    ['changes the version', 'update events.events set version = 2 where id = 20', 20],
    ['changes the request id', `update events.events set request_id = 'other' where id = 20`, 20],
    ['changes the trace context', `update events.events set traceparent = null where id = 20`, 20],
    [
      'changes the time of recording',
      `update events.events set recorded_at = recorded_at + interval '1 ms' where id = 20`,
      20,
    ],
    [
      'inserts an event before the first',
      'create temp table t as select * from events.events where id = 40; update t set id = 0; insert into events.events select * from t',
      0,
    ],
    [
      'moves the beginning of the chain behind the change',
      `update events.events set data = '{}' where id = 20; update events.chain_anchors set after_id = 39`,
      20,
    ],
    ['removes a hash', 'update events.events set hash = null where id = 20', 20],
    ['cuts off the end', 'delete from events.events where id >= 20', 20],
    ['deletes everything', 'truncate events.events', 1],
    [
      'adds an event after the end',
      'create temp table t as select * from events.events where id = 40; update t set id = 41; insert into events.events select * from t',
      41,
    ],
  ]),
)('an owner who %s is detected at the first event that differs', async (_what, statements, id) => {
  await record(
    someEvents(40, () => ({ requestId: 'r1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' })),
  );
  await database.rows(statements);
  expect(await firstBroken()).toBe(id);
});

test('an owner who inserts an event and renumbers the rest is detected', async () => {
  await record(someEvents(40));
  await database.rows(`
    update events.events set id = id + 1000 where id >= 20;
    update events.events set id = id - 999 where id > 1000;
    create temp table t as select * from events.events where id = 10;
    update t set id = 20; insert into events.events select * from t;
    update events.recorder_position set last_id = 41, chain_id = 41`);
  expect(await firstBroken()).toBe(20);
});

test('an owner who changes an event and recomputes the chain is detected by a head that was exported before', async () => {
  await record(someEvents(40));
  const early = (await findLinks(log.db.kysely, 9, 10, 1))[0]!;
  const exported = [{ id: 10, hash: early.hash! }, await findHead(log.db.kysely)];
  expect(await checkHeads(log.db, exported)).toMatchObject({ broken: null, matched: 2, newest: 40, gone: 0 });

  await rewrite(20);

  expect(await firstBroken()).toBe(null);
  expect((await checkHeads(log.db, exported)).broken?.id).toBe(40);
});

longTest(
  'an owner who cuts off the end and moves the chain of the recorder is detected by a head that was exported before',
  async () => {
    await record(someEvents(40));
    const exported = [await findHead(log.db.kysely)];
    const { hash } = (await findLinks(log.db.kysely, 18, 19, 1))[0]!;
    await database.rows('delete from events.events where id >= 20');
    await database.rows('update events.recorder_position set last_id = 19, chain_id = 19, chain_hash = $1', [hash]);
    expect(await firstBroken()).toBe(null);
    expect((await checkHeads(log.db, exported)).broken?.id).toBe(20);
  },
);

longTest(
  'an owner who disguises a rewrite as retention is detected while events remain, and by earlier heads',
  async () => {
    await record(someEvents(40));
    const exported = await headsOf(25, 30);
    await rewrite(20);
    await forgeRetention(39);
    expect(await verifyLog(log.db, { from: 1 })).toMatchObject({ firstBroken: { id: 1 } });
    // A range that begins later finds it as well.
    expect(await firstBroken(40)).toBe(1);
    expect((await checkHeads(log.db, exported)).broken?.id).toBe(25);
  },
);

longTest('an owner who removes hashes and moves the beginning of the chain is detected by earlier heads', async () => {
  await record(someEvents(40));
  const exported = await headsOf(25);
  await database.rows(`
    update events.events set hash = null where id < 40;
    update events.chain_anchors set after_id = 39`);
  const [last] = await findLinks(log.db.kysely, 39, 40, 1);
  const hash = hashOf('', last!);
  await database.rows('update events.events set hash = $1 where id = 40', [hash]);
  await database.rows('update events.recorder_position set chain_hash = $1', [hash]);
  // This log looks as if an earlier version had recorded it. Only the count shows that events were not verified.
  expect(await verifyLog(log.db, { from: 1 })).toMatchObject({ from: 1, to: 40, verified: 1, firstBroken: null });
  expect((await checkHeads(log.db, exported)).broken?.id).toBe(25);
});

longTest(
  'an owner who disguises a deletion as retention leaves unconfirmed heads and is detected by a file of heads',
  async () => {
    await record(someEvents(40));
    const heads = await headsOf(10, 20, 25);
    await forgeRetention(20);
    await database.rows('delete from events.events where id <= 20');
    expect(await firstBroken()).toBe(null);
    expect(await checkHeads(log.db, heads)).toMatchObject({ broken: null, matched: 1, gone: 2, droppedUpTo: 20 });
    expect((await checkHeads(log.db, [], fileOf({ heads }))).broken?.id).toBe(20);
    // The file has an earlier drop and none up to event 20.
    expect((await checkHeads(log.db, [], fileOf({ heads, dropped: heads.slice(0, 1) }))).broken?.id).toBe(20);
    const withDrop = fileOf({ heads, dropped: heads.slice(1, 2) });
    expect(await checkHeads(log.db, [], withDrop)).toMatchObject({ broken: null, gone: 2 });
    // Heads that were exported after the deleted events say nothing about them.
    expect(await checkHeads(log.db, [], fileOf({ heads: heads.slice(2) }))).toMatchObject({ broken: null, gone: 0 });
    await database.rows(`update events.chain_anchors set hash = $1 where after_id = 20`, ['x'.repeat(43)]);
    expect((await checkHeads(log.db, [], withDrop)).broken?.id).toBe(20);
  },
);

test('heads of events that a restore lost are explained by its mark, and by nothing else', async () => {
  await record(someEvents(40));
  const lost = { at: '2026-01-02', id: 35, hash: 'x'.repeat(43) };
  const [kept, restored, later] = (await headsOf(20, 30, 40)).map((link, n) => ({
    ...link,
    at: `2026-01-0${n * 2 + 1}`,
  }));
  const heads = [kept!, lost, later!];
  expect((await checkHeads(log.db, [], { ...noHeads(), heads })).broken?.id).toBe(35);
  expect(await checkHeads(log.db, [], { ...noHeads(), heads, restored: [restored!] })).toMatchObject({
    ...{ broken: null, matched: 2, newest: 40 },
    restores: [{ at: '2026-01-03', id: 30, lost: 1 }],
  });
  // A head of an event that the backup had, or that was exported after the restore, is compared.
  for (const change of [{ id: 25 }, { at: '2026-01-04' }]) {
    const others = { ...noHeads(), heads: [kept!, { ...lost, ...change }], restored: [restored!] };
    expect((await checkHeads(log.db, [], others)).broken?.id).toBe(change.id ?? 35);
  }
  // The second restore lost the mark of the first.
  const first = { ...lost, at: '2026-01-02T12' };
  expect(await checkHeads(log.db, [], { ...noHeads(), heads, restored: [first, restored!] })).toMatchObject({
    ...{ broken: null, matched: 2 },
  });
});

longTest('a recorder of the release before appends after this one and before it, and the log is verified', async () => {
  await record(someEvents(10));
  // That version hashes the event as served, after the stored hash, and leaves the time to the column's default.
  const [last] = await findLinks(log.db.kysely, 9, 10, 1);
  await database.rows(`
    create temp table t as select * from events.events where id = 10;
    update t set id = 11, event_id = gen_random_uuid(), recorded_at = clock_timestamp(); insert into events.events select * from t`);
  const hash = hashOfVersion1(last!.hash!, { ...last!, id: 11 });
  await database.rows('update events.events set hash = $1 where id = 11', [hash]);
  await database.rows('update events.recorder_position set last_id = 11, chain_id = 11, chain_hash = $1', [hash]);
  await record(someEvents(10));
  expect(await verifyLog(log.db, { from: 1 })).toMatchObject({ to: 21, verified: 21, firstBroken: null });
  await database.rows(`update events.events set project = 'eve' where id = 11`);
  expect(await firstBroken()).toBe(11);
});

longTest('the recorder sets the time of recording, not the database', async () => {
  await database.rows(`alter table events.events alter column recorded_at set default '2000-01-01'`);
  await record(someEvents(1));
  const [row] = await database.rows<{ recorded_at: Date }>('select recorded_at from events.events');
  expect(Date.now() - row!.recorded_at.getTime()).toBeLessThan(60_000);
});

longTest('events of a version without the chain are skipped, and a new chain begins after them', async () => {
  await record(someEvents(10));
  // That version leaves an event without a hash and does not move the chain of the position.
  await database.rows(`
    create temp table t as select * from events.events where id = 10;
    update t set id = 11, hash = null; insert into events.events select * from t;
    update events.recorder_position set last_id = 11`);
  await record(someEvents(10));
  expect(await verifyLog(log.db, { from: 1 })).toMatchObject({ to: 21, verified: 20, firstBroken: null });
});
