// Proves that the request is answered when EVENTS has all committed events of the service, and not before.
import { randomBytes } from 'node:crypto';
import { removeStream } from '@yardarm/testing/streams';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Bus, connectBus } from '../../bus/index.ts';
import { publishPendingOfFlags } from '../../contracts/events/outbox.ts';
import { type Database, type RelayBus, type SharedTables, serveOutbox, startRelay } from '../index.ts';
import { appendAlone, appendNow, idsOf, readStream } from '../testing/events.ts';
import { asOwner, createTestSchemas, silent, type TestSchemas } from '../testing/test-schemas.ts';

let schemas: TestSchemas;
let prefix: string;
let stops: (() => Promise<void>)[];
/** Two replicas of one service: one serves the request, the other publishes. */
let serving: Database<SharedTables>;
let publishing: Database<SharedTables>;
let bus: Bus;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
});
afterAll(() => schemas.drop());

beforeEach(async () => {
  await asOwner(
    schemas.ownerUrl,
    'truncate flags.outbox, flags.lease; update flags.outbox_stream set last_source_sequence = 0, incarnation = null',
  );
  prefix = `db${randomBytes(5).toString('hex')}`;
  serving = schemas.connect('flags');
  publishing = schemas.connect('flags');
  bus = await connectBus({ url: inject('natsUrl'), name: 'outbox-test', prefix, log: silent });
  await bus.ensureStreams(['EVENTS']);
  serveOutbox(bus, serving);
  await bus.flush();
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await bus.drain();
});

function relay(db = publishing, through: RelayBus = bus): void {
  const started = startRelay({ db, bus: through, log: silent });
  stops.push(() => started.stop());
}

const ask = (withinMs = 10_000) =>
  bus.request(
    publishPendingOfFlags,
    {},
    { requestId: 'r', actor: null, deadline: Date.now() + withinMs, traceparent: null },
  );

test.each([
  ['in the same process', () => relay(serving)],
  ['in another replica', () => relay(publishing)],
])('EVENTS has all committed events when the request is answered, published %s', async (_where, start) => {
  start();
  for (let n = 0; n < 10; n++) {
    const { eventId } = await appendAlone(serving, `key ${n % 3}`, n);
    expect(await ask()).toEqual({ incarnation: (await bus.streamInfo('EVENTS')).incarnation });
    expect(idsOf(await readStream(bus))).toContain(eventId);
  }
});

test('the request is answered at once for an outbox that never had a row', async () => {
  expect(await ask()).toEqual({ incarnation: null });
});

test('the request fails before its deadline when no relay publishes the event', async () => {
  await appendAlone(serving, 'a');
  await expect(ask(700)).rejects.toMatchObject({ code: 'unavailable' });
});

test('the request does not wait for an event that is not committed', async () => {
  relay();
  await publishing.transaction(async (trx) => {
    await appendNow(trx, 'open');
    await appendAlone(serving, 'other');
    await ask();
  });
});

test('the request waits for a stream that acknowledges late', async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  relay(publishing, {
    ...bus,
    async publish(...message) {
      await released;
      return bus.publish(...message);
    },
  });
  await appendAlone(serving, 'a');
  await expect(ask(700)).rejects.toMatchObject({ code: 'unavailable' });
  release();
  await ask();
  expect(await readStream(bus)).toHaveLength(1);
});

test('the answer has the incarnation of the old stream until the new one has the events', async () => {
  relay();
  await appendAlone(serving, 'a');
  const first = (await ask()).incarnation;
  await removeStream(inject('natsUrl'), `${prefix}_EVENTS`);
  await bus.ensureStreams(['EVENTS']);
  await expect.poll(async () => (await bus.streamInfo('EVENTS')).incarnation).not.toBe(first);
  const { incarnation } = await bus.streamInfo('EVENTS');
  await expect.poll(async () => (await ask()).incarnation).toBe(incarnation);
  expect(await readStream(bus)).toHaveLength(1);
});
