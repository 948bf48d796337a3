// Tests recording against a real Postgres and NATS: each event is recorded once, with ids without gaps in stream order,
// despite crashes and lost streams. Other files test reads (tail) and searches (events).

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { LeaseLostError, sql, startLease } from '@yardarm/shared/db';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, eventually, longTest, type TestDatabase } from '@yardarm/testing';
import { publishedEvent } from '@yardarm/testing/events';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toEvent } from '../events/event.ts';
import { LogUnderTest, someEvents } from '../testing/log-under-test.ts';
import { reportGaps } from './gap-watch.ts';
import { type Recorder, recordBatch } from './record-batch.ts';
import { findPosition, makePartitionsAhead } from './recordings.repo.ts';

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

async function asOwner(text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query(text, values).finally(() => client.end());
}

/** The expected log: the first occurrence of each event in the order of EVENTS, with ids from 1 without a gap. */
async function expectedEntries(): Promise<{ id: number; event_id: string }[]> {
  const ids = (await log.messagesOf('EVENTS')).map((payload) => (payload as { eventId: string }).eventId);
  return [...new Set(ids)].map((event_id, index) => ({ id: index + 1, event_id }));
}

async function recordAll(service: RunningService): Promise<void> {
  await service.processAll();
}

test('an event that is published twice is recorded once, at its first place', async () => {
  const service = await log.start();
  const events = someEvents(30);
  await log.publish(events.slice(0, 20));
  await recordAll(service);
  await log.publish(events.slice(10), () => randomUUID());
  // Duplicates within one batch.
  await Promise.all(events.slice(15).map((event) => log.publish([event], () => randomUUID())));
  await recordAll(service);

  expect(await log.messagesOf('EVENTS')).toHaveLength(20 + 20 + 15);
  expect(await log.entries()).toEqual(events.map(({ eventId }, index) => ({ id: index + 1, event_id: eventId })));
});

test('every field of an event is kept', async () => {
  const service = await log.start();
  const event = publishedEvent({
    source: 'accounts',
    type: 'user-updated',
    createdBy: 'ada',
    createdByUserId: -42,
    createdByUsername: 'ada',
    environment: 'production',
    data: { b: 1e21, a: 'NUL \u0000, half \ud83d, "quoted" \\', deep: [{ x: null }, 0.1] },
    preData: { z: [] },
    tags: [{ type: 'simple', value: 'team-a' }],
    requestId: 'r1',
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  });
  await log.publish([event]);
  await recordAll(service);
  const row = await log.db.kysely.selectFrom('events').selectAll().executeTakeFirstOrThrow();
  const { eventId, version, source, createdByUsername, requestId, traceparent, ...served } = event;
  expect(toEvent(row)).toEqual({ id: 1, ...served });
  const { event_id, created_by_username, request_id } = row;
  expect([event_id, row.version, row.source]).toEqual([eventId, version, source]);
  expect([created_by_username, request_id, row.traceparent]).toEqual([createdByUsername, requestId, traceparent]);
});

test('messages that are no events become dead letters with a reason, and all others are recorded', async () => {
  const service = await log.start();
  const [first, second, third] = someEvents(3) as [
    ReturnType<typeof publishedEvent>,
    ReturnType<typeof publishedEvent>,
    never,
  ];
  await log.publish([first]);
  await log.bus.publish('evt.flags.feature-created', { hello: 'world' }, { msgId: 'poison-1' });
  await log.bus.publish('evt.flags.feature-created', 'just text', { msgId: 'poison-2' });
  await log.publish([second]);
  // These match the schema, but Postgres cannot store them.
  const nul = publishedEvent({ createdBy: 'a\u0000b' });
  const year0 = publishedEvent({ createdAt: '0000-01-01T00:00:00Z' });
  await log.publish([nul, year0, third]);
  await recordAll(service);

  expect((await log.entries()).map(({ event_id }) => event_id)).toEqual([first, second, third].map((e) => e.eventId));
  const rejected = await log.db.kysely.selectFrom('rejected_messages').selectAll().orderBy('sequence').execute();
  expect(rejected.map(({ sequence, msg_id }) => [sequence, msg_id])).toEqual([
    [2, 'poison-1'],
    [3, 'poison-2'],
    [5, nul.eventId],
    [6, year0.eventId],
  ]);
  expect(rejected[0]!.reason).toContain('The .eventId property');
  expect(rejected.map(({ payload }) => JSON.parse(payload))).toEqual([{ hello: 'world' }, 'just text', nul, year0]);
});

test('a batch in portions is recorded except for an event that Postgres cannot store and a message that is no event', async () => {
  const events = someEvents(400);
  const nul = publishedEvent({ createdBy: 'a\u0000b' });
  await log.publish([...events.slice(0, 100), nul, ...events.slice(100)]);
  await log.bus.publish('evt.flags.feature-created', { hello: 'world' }, { msgId: 'poison' });
  const service = await log.start();
  await recordAll(service);
  expect((await log.entries()).map(({ event_id }) => event_id)).toEqual(events.map(({ eventId }) => eventId));
  const rejected = await log.db.kysely.selectFrom('rejected_messages').select('msg_id').orderBy('sequence').execute();
  expect(rejected).toEqual([{ msg_id: nul.eventId }, { msg_id: 'poison' }]);
});

test('ids continue without a gap and in stream order when the recorder is killed and another replica takes over', async () => {
  const recorder = log.startProcess('main.ts');
  const successor = await eventually(async () => {
    expect((await log.db.kysely.selectFrom('lease').select('holder').executeTakeFirst())?.holder).toBeTruthy();
    return log.start();
  });
  // Publishes without a pause until after the kill. The recorder then dies with messages read and pending, under
  // several keys.
  let isDead = false;
  let published = 0;
  const publishing = [0, 1, 2, 3].map(async (lane) => {
    for (let more = 100; more > 0; more -= isDead ? 1 : 0) {
      await log.publish([publishedEvent({ featureName: `flag-${lane}` })]);
      published += 1;
    }
  });
  await eventually(async () => expect((await log.entries()).length).toBeGreaterThan(500));
  recorder.kill('SIGKILL');
  await once(recorder, 'exit');
  isDead = true;
  await Promise.all(publishing);
  await recordAll(successor);
  expect(await log.entries()).toEqual(await expectedEntries());
  expect(await log.entries()).toHaveLength(published);
});

longTest('of two replicas that start together one records, and the other continues when it stops', async () => {
  const replicas = await Promise.all([log.start(), log.start()]);
  const events = someEvents(400);
  await log.publish(events.slice(0, 200));
  await Promise.all(replicas.map(recordAll));
  await log.stop(replicas[0]);
  await log.publish(events.slice(200));
  await recordAll(replicas[1]);
  expect(await log.entries()).toEqual(events.map(({ eventId }, index) => ({ id: index + 1, event_id: eventId })));
});

test('a replay of the outboxes after the loss of EVENTS records nothing twice', async () => {
  const service = await log.start();
  const events = someEvents(120);
  await log.publish(events.slice(0, 100));
  await recordAll(service);
  await log.wipe('EVENTS');
  // A replay publishes recorded events again, together with events that are not recorded yet.
  await log.publish(events);
  await recordAll(service);
  expect(await log.entries()).toEqual(events.map(({ eventId }, index) => ({ id: index + 1, event_id: eventId })));
});

test('missing numbers of a source are reported after a minute, until its outbox is replayed', async () => {
  const service = await log.start();
  const events = someEvents(6);
  const publish = (numbers: number[], round: string) =>
    Promise.all(
      numbers.map((number) =>
        log.bus.publish('evt.flags.feature-created', events[number - 1], {
          msgId: `${round}-${number}`,
          headers: { 'Yardarm-Source-Sequence': String(number) },
        }),
      ),
    );
  await publish([1, 2, 5], 'first');
  await recordAll(service);
  const reported = new Map<string, number>();
  const inAMinute = () => new Date(Date.now() + 61_000);
  await reportGaps(log.db, log.log, reported, new Date());
  expect(reported.get('flags')).toBe(0);
  await reportGaps(log.db, log.log, reported, inAMinute());
  expect(reported.get('flags')).toBe(2);

  await publish([1, 2, 3, 4, 5, 6], 'again');
  await recordAll(service);
  await reportGaps(log.db, log.log, reported, inAMinute());
  expect(reported.get('flags')).toBe(0);
  expect(await log.entries()).toHaveLength(6);
});

async function recorderOf(lease: ReturnType<typeof startLease>): Promise<Recorder> {
  const { epoch } = await lease.whenOwned(AbortSignal.timeout(20_000));
  return { db: log.db, epoch, fence: lease.fence(epoch) };
}

test('of twenty recorders with the same expected position, one writes', async () => {
  const lease = startLease({ db: log.db, name: 'recorder', log: log.log });
  const recorder = await recorderOf(lease);
  const batchOf = (n: number) => ({
    incarnation: 'i',
    messages: someEvents(10).map((payload, m) => ({
      sequence: n + m + 1,
      subject: 'evt.flags.feature-created',
      msgId: null,
      payload,
    })),
  });
  const before = await findPosition(log.db);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => recordBatch(recorder, before, batchOf(n))),
  );
  await lease.stop();

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(LeaseLostError);
  expect((await log.entries()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(await counterTotal()).toBe(10);
});

test('a recorder that lost its lease writes nothing, even if the position has not moved', async () => {
  const first = startLease({ db: log.db, name: 'recorder', log: log.log });
  const old = await recorderOf(first);
  await first.stop();
  const second = startLease({ db: log.db, name: 'recorder', log: log.log });
  await recorderOf(second);
  const batch = {
    incarnation: 'i',
    messages: [{ sequence: 1, subject: 'evt.flags.feature-created', msgId: null, payload: publishedEvent() }],
  };
  await expect(recordBatch(old, await findPosition(log.db), batch)).rejects.toBeInstanceOf(LeaseLostError);
  await second.stop();
  expect(await log.entries()).toEqual([]);
});

async function counterTotal(): Promise<number | undefined> {
  const counters = log.db.kysely.selectFrom('event_counters').select('total').where('kind', '=', 'total');
  return (await counters.executeTakeFirst())?.total;
}

test('ids continue across partitions, and the login creates partitions in advance', async () => {
  await asOwner('update events.recorder_position set last_id = 1999990');
  const service = await log.start();
  await log.publish(someEvents(20));
  await recordAll(service);
  const ids = (await log.entries()).map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => 1_999_991 + n));
  expect(await makePartitionsAhead(log.db)).toBe(5_000_000);
  expect(await makePartitionsAhead(log.db)).toBe(5_000_000);
});

test('the login has no rights on partitions that are created later', async () => {
  await asOwner('update events.recorder_position set last_id = 7000000');
  expect(await makePartitionsAhead(log.db)).toBe(10_000_000);
  await expect(sql`delete from events_p9`.execute(log.db.kysely)).rejects.toMatchObject({ code: '42501' });
});
