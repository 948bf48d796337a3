// Tests replicas that store the same stream: they share its messages, and one that dies loses none.
import { type BusMessage, connectBus } from '@yardarm/shared/bus';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sendSignals, storedIds } from '../testing/sent-signals.ts';
import { type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';

let rig: SignalsRig;

beforeAll(async () => {
  rig = await startSignalsRig();
  // Only the replicas of each test consume.
  await rig.service.drain();
});

beforeEach(() => rig.rows('truncate signals.signals'));

afterAll(() => rig?.stop());

/** A bus that passes each batch to `wrap`, with a function that runs the real handler. */
function wrapBatches(wrap: (messages: BusMessage[], store: () => Promise<void>) => Promise<void>): typeof connectBus {
  return async (options) => {
    const real = await connectBus(options);
    return {
      ...real,
      consumeBatches: (consumer, handler) =>
        real.consumeBatches(consumer, (messages) => wrap(messages, () => handler(messages))),
    };
  };
}

it('a replica that dies after the store and before the acknowledgement leaves one row', async () => {
  await sendSignals(rig, { id: 41 }, { id: 42 }, { id: 43 });
  let deaths = 0;
  const deliveries: number[] = [];
  const dying = wrapBatches(async (messages, store) => {
    await store();
    deliveries.push(...messages.map((message) => message.deliveryCount));
    if (deaths++ > 0) return;
    expect(await storedIds(rig)).toEqual(expect.arrayContaining([41]));
    throw new Error('died before the acknowledgement');
  });
  const replica = await rig.start({}, { connectBus: dying });
  await replica.processAll();
  expect(deliveries).toContain(2);
  expect(await storedIds(rig)).toEqual([41, 42, 43]);
  await replica.drain();
  await replica.stop();
});

it('each message is handled by one of two replicas', async () => {
  const handled = [0, 0];
  const counting = (replica: 0 | 1) =>
    wrapBatches(async (messages, store) => {
      handled[replica]! += messages.length;
      await store();
    });
  const replicas = await Promise.all(([0, 1] as const).map((n) => rig.start({}, { connectBus: counting(n) })));
  const ids = Array.from({ length: 300 }, (_, index) => index + 1000);
  await Promise.all(ids.map((id) => sendSignals(rig, { id })));
  await Promise.all(replicas.map((replica) => replica.processAll()));
  expect(await storedIds(rig)).toEqual(ids);
  expect(handled[0]! + handled[1]!).toBe(300);
  for (const replica of replicas) {
    await replica.drain();
    await replica.stop();
  }
});

it('signals that were published while no replica ran are stored', async () => {
  await sendSignals(rig, { id: 51 });
  const replica = await rig.start();
  await replica.processAll();
  expect(await storedIds(rig)).toEqual([51]);
  await replica.drain();
  await replica.stop();
});
