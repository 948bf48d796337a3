// Tests the relay against a real Postgres and NATS: RECORDED holds every event of the log in the order of the ids,
// despite crashes, failed publishes and lost streams.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { recordedEventSchema } from '@yardarm/shared/contracts/events';
import { AppError } from '@yardarm/shared/errors';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { LogUnderTest, someEvents } from '../testing/log-under-test.ts';

let database: TestDatabase;
let log: LogUnderTest;

beforeEach(async () => {
  database = await createTestDatabase();
  log = await LogUnderTest.open({
    natsUrl: inject('natsUrl'),
    databaseUrl: database.urlFor('events'),
    prefix: `t${randomBytes(6).toString('hex')}`,
  });
});

afterEach(async () => {
  await log.close();
  await database.drop();
});

const idsUpTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => first + n);
const recordedIds = async () => (await log.recorded()).map(({ id }) => id);

test('RECORDED holds every event with its id, in the order of the ids', async () => {
  const service = await log.start();
  const events = someEvents(1_000, (n) => ({ featureName: `flag-${n % 10}` }));
  await log.publish(events);
  await service.processAll();
  const recorded = await log.recorded();
  expect(recorded).toEqual(events.map((event, index) => ({ ...event, id: index + 1 })));
  expect(recordedEventSchema.array().safeParse(recorded).success).toBe(true);
});

test.each([1, 180])(
  'nothing is lost or disordered when the process is killed before it relays event %i',
  async (id) => {
    // All events are published before the process starts. It then dies with a batch recorded and partly in flight.
    await log.publish(someEvents(400));
    const child = log.startProcess('testing/dies-before-relaying.ts', { DIE_AT: String(id) });
    const [code, signal] = await once(child, 'exit');
    expect([code, signal]).toEqual([null, 'SIGKILL']);
    expect((await log.entries()).length).toBeGreaterThan(0);
    expect(await recordedIds()).not.toContain(id);

    await database.expireLeases('events');
    const successor = await log.start();
    await successor.processAll();
    expect(await recordedIds()).toEqual(idsUpTo(400));
  },
);

/** A bus with failing publishes. `fails` decides per id whether a publish is not sent, or stored without an answer. */
async function connectFailingBus(
  options: Parameters<typeof connectBus>[0],
  fails: (id: number) => 'never sent' | 'answer lost' | null,
): Promise<Bus> {
  const bus = await connectBus(options);
  const publish: Bus['publish'] = async (subject, payload, publishOptions) => {
    const failure = fails((payload as { id: number }).id);
    if (failure === 'never sent') throw new AppError('unavailable', 'not sent, says the test');
    const acknowledged = await bus.publish(subject, payload, publishOptions);
    if (failure === 'answer lost') throw new AppError('unavailable', 'answer lost, says the test');
    return acknowledged;
  };
  return new Proxy(bus, {
    get: (target, property) => (property === 'publish' ? publish : Reflect.get(target, property, target)),
  });
}

test.each(['never sent', 'answer lost'] as const)('a failed publish among many (%s) keeps the order', async (how) => {
  const failing = new Set([3, 50, 51, 120, 300]);
  const service = await log.start({
    connectBus: (options) => connectFailingBus(options, (id) => (failing.delete(id) ? how : null)),
  });
  await log.publish(someEvents(400, (n) => ({ featureName: `flag-${n}` })));
  await service.processAll();
  expect(failing.size).toBe(0);
  expect(await recordedIds()).toEqual(idsUpTo(400));
});

test('a wiped RECORDED is published again, as far back as the stream keeps messages', async () => {
  const service = await log.start();
  await log.publish(someEvents(300));
  await service.processAll();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query("update events.events set recorded_at = now() - interval '7 days 1 minute' where id <= 100");
  await owner.end();

  await log.wipe('RECORDED');
  await service.processAll();
  expect(await recordedIds()).toEqual(idsUpTo(300, 101));
  await log.publish(someEvents(5));
  await service.processAll();
  expect(await recordedIds()).toEqual(idsUpTo(305, 101));
});

async function relayedAndStopped(count: number): Promise<void> {
  const service = await log.start();
  await log.publish(someEvents(count));
  await service.processAll();
  await log.stop(service);
}

test('a RECORDED that was recreated without a running relay is published again, even if it is as long as before', async () => {
  await relayedAndStopped(30);
  await log.wipe('RECORDED');
  const strangers = Array.from({ length: 40 }, () => 0);
  for (const [n, id] of strangers.entries()) {
    await log.bus.publish('recorded.feature-created', { id }, { msgId: `stranger-${n}` });
  }
  const successor = await log.start();
  await successor.processAll();
  expect(await recordedIds()).toEqual([...strangers, ...idsUpTo(30)]);
});

test('a RECORDED whose server lost the newest messages in a crash is published again', async () => {
  await relayedAndStopped(30);
  await log.wipe('RECORDED');
  // The same stream as before, by its incarnation, but it ends earlier.
  const { incarnation } = await log.bus.streamInfo('RECORDED');
  await log.db.kysely.updateTable('relay_position').set({ incarnation }).execute();
  const successor = await log.start();
  await successor.processAll();
  expect(await recordedIds()).toEqual(idsUpTo(30));
});

test('a recorded event is on RECORDED without a poll', async () => {
  const service = await log.start({ relayPollMs: 60_000 });
  // A relay reads the log when it begins. Only the later events prove the wake-up.
  for (let n = 0; n < 3; n += 1) {
    await log.publish(someEvents(1));
    await service.processAll();
  }
  expect(await recordedIds()).toEqual([1, 2, 3]);
  // The limit is below the poll interval.
}, 30_000);
