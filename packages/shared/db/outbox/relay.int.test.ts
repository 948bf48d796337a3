// Proves that committed events reach the stream, in the order of each key, also when the stream is lost in between.
// relay-crash.int.test.ts covers crashes. Does not assert how often an event is in the stream.

import { randomBytes } from 'node:crypto';
import { publishedEventSchema } from '@yardarm/shared/contracts/events';
import { longTest } from '@yardarm/testing';
import { removeStream } from '@yardarm/testing/streams';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Bus, connectBus } from '../../bus/index.ts';
import {
  appendEvent,
  type Database,
  type Relay,
  type RelayBus,
  replay,
  type SharedTables,
  sql,
  startRelay,
} from '../index.ts';
import {
  append,
  appendAlone,
  appendNow,
  byKey,
  expectedByKey,
  idsOf,
  readStream,
  withoutDuplicates,
} from '../testing/events.ts';
import { asOwner, createTestSchemas, silent, type TestSchemas } from '../testing/test-schemas.ts';

let schemas: TestSchemas;
let db: Database<SharedTables>;
let bus: Bus;
let prefix: string;
let relays: Relay[];

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
});
afterAll(() => schemas.drop());

beforeEach(async () => {
  await asOwner(
    schemas.ownerUrl,
    'truncate flags.outbox, flags.lease; update flags.outbox_stream set last_source_sequence = 0, incarnation = null',
  );
  db = schemas.connect('flags', { maxConnections: 25 });
  prefix = `db${randomBytes(5).toString('hex')}`;
  bus = await connectBus({ url: inject('natsUrl'), name: 'relay-test', prefix, log: silent });
  await bus.ensureStreams(['EVENTS']);
  relays = [];
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  await bus.drain();
  await db.close();
});

function start(through: RelayBus = bus, database = db, intervals: { pollMs?: number; markMs?: number } = {}): Relay {
  const relay = startRelay({ db: database, bus: through, log: silent, ...intervals });
  relays.push(relay);
  return relay;
}

/** Starts a relay that is idle and does not poll, and records its actions from then on. */
async function startWatched({ markMs }: { markMs?: number } = {}): Promise<{ actions: string[]; relay: Relay }> {
  const actions: string[] = [];
  const kysely = db.kysely.withPlugin({
    transformQuery({ node }) {
      actions.push(JSON.stringify(node).includes('published_at = clock_timestamp') ? 'mark' : 'statement');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const transaction: typeof db.transaction = (fn, options) => {
    actions.push('transaction');
    return db.transaction(fn, options);
  };
  const through: RelayBus = {
    ...bus,
    async publish(...message) {
      const published = await bus.publish(...message);
      actions.push('published');
      return published;
    },
  };
  // Appended before the start, so that no pending wake-up causes another read.
  await appendAlone(db, 'first');
  const relay = start(through, { ...db, kysely, transaction }, { pollMs: 60_000, ...(markMs && { markMs }) });
  await expect.poll(() => actions).toContain('mark');
  actions.length = 0;
  return { actions, relay };
}

test('publishes the whole event, with its own message id and its source sequence', async () => {
  const eventId = await db.transaction(async (trx) =>
    appendEvent(trx, {
      type: 'feature-created',
      actor: { id: 3, username: 'jo', email: 'jo@example.org' },
      project: 'default',
      featureName: 'checkout.v2',
      data: { name: 'checkout.v2', text: 'nul \u0000, lone \ud800' },
      tags: [{ type: 'simple', value: 'shop' }],
      orderingKey: 'feature:checkout.v2',
      requestId: 'r-1',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    }),
  );
  const [appended] = await db.kysely.selectFrom('outbox').select('created_at').execute();
  await start().processAll();
  const [message, ...others] = await readStream(bus);
  expect(others).toEqual([]);
  expect(message).toMatchObject({ subject: 'evt.flags.feature-created', msgId: eventId });
  expect(message!.headers['Yardarm-Source-Sequence'] ?? message!.headers['yardarm-source-sequence']).toBe('1');
  expect(message!.traceparent).toMatch(/^00-1{32}-/);
  expect(publishedEventSchema.parse(message!.payload)).toMatchObject({
    eventId,
    version: 1,
    source: 'flags',
    createdAt: appended!.created_at.toISOString(),
    createdBy: 'jo@example.org',
    createdByUserId: 3,
    createdByUsername: 'jo',
    environment: null,
    featureName: 'checkout.v2',
    data: { name: 'checkout.v2', text: 'nul \u0000, lone \ud800' },
    preData: null,
    tags: [{ type: 'simple', value: 'shop' }],
    requestId: 'r-1',
  });
});

test('a single event is read and numbered in one statement and marked in another', async () => {
  const { actions } = await startWatched();
  await appendAlone(db, 'a');
  await expect.poll(() => actions).toContain('mark');
  expect(actions.slice(0, 2)).toEqual(['statement', 'published']);
  expect(actions.filter((what) => what !== 'statement')).toEqual(['published', 'mark']);
});

longTest('events in quick succession are marked together', async () => {
  const { actions, relay } = await startWatched({ markMs: 60_000 });
  const count = (...kinds: string[]) => actions.filter((each) => kinds.includes(each)).length;
  for (let n = 1; n <= 40; n++) {
    await appendAlone(db, 'a', n);
    await expect.poll(() => count('published'), { interval: 1 }).toBe(n);
  }
  expect(count('mark', 'transaction')).toBe(0);
  await relay.processAll();
  expect(count('mark', 'transaction')).toBe(1);
});

test('publishes nothing of a transaction that was rolled back', async () => {
  const failing = db.transaction(async (trx) => {
    await append(trx, 'a');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  const { eventId } = await appendAlone(db, 'a');
  await start().processAll();
  expect(idsOf(await readStream(bus))).toEqual([eventId]);
});

test('refuses an event that is too large for a message, and with it the change', async () => {
  const data = { text: 'x'.repeat(1_000_001) };
  const large = db.transaction(async (trx) =>
    appendEvent(trx, {
      type: 'feature-updated',
      actor: { id: 1, username: 'jo' },
      data,
      orderingKey: 'a',
      requestId: null,
      traceparent: null,
    }),
  );
  await expect(large).rejects.toMatchObject({ code: 'content-too-large' });
});

test('publishes a row whose transaction commits after later rows were published', async () => {
  const relay = start();
  let first = '';
  await db.transaction(async (late) => {
    first = (await appendNow(late, 'late')).eventId;
    const second = await appendAlone(db, 'other');
    await relay.processAll();
    expect(idsOf(await readStream(bus))).toEqual([second.eventId]);
  });
  await relay.processAll();
  const messages = await readStream(bus);
  expect(idsOf(messages)).toHaveLength(2);
  expect(messages[1]!.msgId).toBe(first);
});

test('keeps the order of each key, and numbers without a gap, under twenty writers at once', async () => {
  const relay = start();
  const keys = ['a', 'b', 'c'];
  await Promise.all(
    Array.from({ length: 20 }, async (_, writer) => {
      for (let n = 0; n < 15; n++) await appendAlone(db, keys[(writer + n) % keys.length]!, n);
    }),
  );
  await relay.processAll();
  const messages = withoutDuplicates(await readStream(bus));
  expect(byKey(messages)).toEqual(await expectedByKey(db));
  const numbers = await db.kysely.selectFrom('outbox').select('source_sequence').orderBy('source_sequence').execute();
  expect(numbers.map((row) => row.source_sequence)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
});

test('publishes each row once when two relays run', async () => {
  const [one] = [start(), start()];
  for (let n = 0; n < 50; n++) await appendAlone(db, `key ${n % 5}`, n);
  await one!.processAll();
  expect(await readStream(bus)).toHaveLength(50);
});

test('a stopped relay releases its lease, and another takes over', async () => {
  const first = start();
  await appendAlone(db, 'a');
  await first.processAll();
  await first.stop();
  const free = await db.kysely
    .selectFrom('lease')
    .where('holder', 'is', null)
    .where('expires_at', '<=', sql<Date>`now()`)
    .select('name')
    .execute();
  expect(free).toEqual([{ name: 'outbox-relay' }]);
  const second = start();
  await appendAlone(db, 'a');
  await second.processAll();
  expect(byKey(await readStream(bus))).toEqual(await expectedByKey(db));
});

test('retries an event that the bus refused, in order, while other keys continue', async () => {
  const refused = new Map<string, number>();
  const relay = start({
    ...bus,
    async publish(subject, payload, options) {
      const tries = (refused.get(options.msgId) ?? 0) + 1;
      refused.set(options.msgId, tries);
      const { data } = payload as { data: { key: string; n: number } };
      if (data.key === 'bad' && data.n === 1 && tries < 3) throw new Error('refused');
      return bus.publish(subject, payload, options);
    },
  });
  for (let n = 0; n < 4; n++) {
    await appendAlone(db, 'bad', n);
    await appendAlone(db, 'good', n);
  }
  await relay.processAll();
  expect(byKey(await readStream(bus))).toEqual(await expectedByKey(db));
});

longTest('publishes everything again, in order, when the stream was deleted', async () => {
  const relay = start();
  for (let n = 0; n < 30; n++) await appendAlone(db, `key ${n % 3}`, n);
  await relay.processAll();
  const before = await readStream(bus);
  expect(before).toHaveLength(30);
  const { incarnation } = await bus.streamInfo('EVENTS');

  await removeStream(inject('natsUrl'), `${prefix}_EVENTS`);
  await bus.ensureStreams(['EVENTS']);
  await expect.poll(async () => (await bus.streamInfo('EVENTS')).incarnation).not.toBe(incarnation);
  await expect.poll(() => readStream(bus)).toHaveLength(30);
  expect(byKey(await readStream(bus))).toEqual(await expectedByKey(db));

  // The next relay does the same when the stream is deleted while no relay runs.
  await relay.stop();
  await removeStream(inject('natsUrl'), `${prefix}_EVENTS`);
  await bus.ensureStreams(['EVENTS']);
  await appendAlone(db, 'key 0', 30);
  await start().processAll();
  await expect.poll(() => readStream(bus)).toHaveLength(31);
  expect(byKey(await readStream(bus))).toEqual(await expectedByKey(db));
});

test('replays on demand the events since a given time', async () => {
  const published: string[] = [];
  const relay = start({
    ...bus,
    publish(subject, payload, options) {
      published.push(options.msgId);
      return bus.publish(subject, payload, options);
    },
  });
  const old = await appendAlone(db, 'a');
  await sql`update outbox set created_at = created_at - interval '1 hour'`.execute(db.kysely);
  const recent = await appendAlone(db, 'a');
  await relay.processAll();
  expect(await replay(db, { since: new Date(Date.now() - 60_000) })).toBe(1);
  await relay.processAll();
  expect(published).toEqual([old.eventId, recent.eventId, recent.eventId]);
});

test('keeps published rows for eight days and unpublished rows forever', async () => {
  const relay = start();
  await appendAlone(db, 'a');
  await appendAlone(db, 'a');
  await relay.processAll();
  await relay.stop();
  const [first, second] = await db.kysely.selectFrom('outbox').select('id').orderBy('id').execute();
  const age = (id: number, days: number) =>
    sql`update outbox set published_at = now() - ${days} * interval '1 day', created_at = now() - interval '20 days'
      where id = ${id}`.execute(db.kysely);
  await age(first!.id, 8.1);
  await age(second!.id, 7.9);
  await appendAlone(db, 'a');
  const [, , third] = await db.kysely.selectFrom('outbox').select('id').orderBy('id').execute();
  await sql`update outbox set created_at = now() - interval '20 days' where id = ${third!.id}`.execute(db.kysely);
  // The relay deletes old rows before it reads.
  await start().processAll();
  expect(await db.kysely.selectFrom('outbox').select('id').orderBy('id').execute()).toEqual([second, third]);
});

test('reports how many rows are unpublished, and the age of the oldest', async () => {
  const relay = start();
  expect(await relay.lag()).toEqual({ rows: 0, oldestSeconds: 0 });
  await relay.stop();
  await appendAlone(db, 'a');
  await sql`update outbox set created_at = created_at - interval '90 seconds'`.execute(db.kysely);
  await appendAlone(db, 'a');
  const lag = await relay.lag();
  expect(lag.rows).toBe(2);
  expect(lag.oldestSeconds).toBeGreaterThanOrEqual(90);
});
