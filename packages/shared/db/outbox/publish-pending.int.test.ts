// Proves that whoever asks a service for it is answered when EVENTS holds all that the service had committed, and not before.
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
/** Who is asked, and who publishes: replicas of one service. */
let asked: Database<SharedTables>;
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
  asked = schemas.connect('flags');
  publishing = schemas.connect('flags');
  bus = await connectBus({ url: inject('natsUrl'), name: 'outbox-test', prefix, log: silent });
  await bus.ensureStreams(['EVENTS']);
  serveOutbox(bus, asked);
  await bus.flush();
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await bus.drain();
});

function relay(db = publishing, through: RelayBus = bus): void {
  const started = startRelay({ db, bus: through, source: 'flags', log: silent });
  stops.push(() => started.stop());
}

const ask = (withinMs = 10_000) =>
  bus.request(
    publishPendingOfFlags,
    {},
    { requestId: 'r', actor: null, deadline: Date.now() + withinMs, traceparent: null },
  );

test.each([
  ['in the same process', () => relay(asked)],
  ['in another replica', () => relay(publishing)],
])('EVENTS holds what was committed when it is answered, published %s', async (_where, start) => {
  start();
  for (let n = 0; n < 10; n++) {
    const { eventId } = await appendAlone(asked, `key ${n % 3}`, n);
    expect(await ask()).toEqual({ incarnation: (await bus.streamInfo('EVENTS')).incarnation });
    expect(idsOf(await readStream(bus))).toContain(eventId);
  }
});

test('there is nothing to wait for in an outbox that never held anything', async () => {
  expect(await ask()).toEqual({ incarnation: null });
});

test('what nobody publishes is said to be missing before the caller gives up', async () => {
  await appendAlone(asked, 'a');
  await expect(ask(700)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a change that is not committed is not waited for', async () => {
  relay();
  await publishing.transaction(async (trx) => {
    await appendNow(trx, 'open');
    await appendAlone(asked, 'other');
    await ask();
  });
});

test('a stream that acknowledges late is waited for', async () => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  relay(publishing, {
    ...bus,
    async publish(...message) {
      await held;
      return bus.publish(...message);
    },
  });
  await appendAlone(asked, 'a');
  await expect(ask(700)).rejects.toMatchObject({ code: 'unavailable' });
  letGo();
  await ask();
  expect(await readStream(bus)).toHaveLength(1);
});

test('what was published to a stream that is gone is told by its incarnation, until the new one holds it', async () => {
  relay();
  await appendAlone(asked, 'a');
  const first = (await ask()).incarnation;
  await removeStream(inject('natsUrl'), `${prefix}_EVENTS`);
  await bus.ensureStreams(['EVENTS']);
  await expect.poll(async () => (await bus.streamInfo('EVENTS')).incarnation).not.toBe(first);
  const { incarnation } = await bus.streamInfo('EVENTS');
  await expect.poll(async () => (await ask()).incarnation).toBe(incarnation);
  expect(await readStream(bus)).toHaveLength(1);
});
