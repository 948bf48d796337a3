// Proves that the bus keeps nothing of a consumer or a reader that was stopped, while the bus itself stays in use.
import { eventually, startTestNats, type TestNats } from '@yardarm/testing';
import { collectGarbage } from '@yardarm/testing/garbage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bus } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { keepingLogger } from './testing/bus-rig.ts';

let nats: TestNats;
let bus: Bus;

beforeAll(async () => {
  nats = await startTestNats();
  bus = await connectBus({ url: nats.url, name: 'test', prefix: '', log: keepingLogger().log });
  await bus.ensureStreams(['EVENTS']);
});
afterAll(async () => {
  await bus?.drain();
  await nats?.remove();
});

const starts = {
  consume: () => {
    const handler = async () => {};
    return { handler, started: bus.consume({ stream: 'EVENTS', durable: 'one' }, handler) };
  },
  consumeBatches: () => {
    const handler = async () => {};
    return { handler, started: bus.consumeBatches({ stream: 'EVENTS', durable: 'many', maxBatch: 10 }, handler) };
  },
  read: () => {
    const handler = async () => {};
    const from = async () => ({ incarnation: null, lastSequence: 0 });
    return { handler, started: Promise.resolve(bus.read({ stream: 'EVENTS', from, maxBatch: 10 }, handler)) };
  },
};

/** Only the bus could still refer to the handler afterwards. */
async function startAndStop(start: (typeof starts)[keyof typeof starts]): Promise<WeakRef<() => Promise<void>>> {
  const { handler, started } = start();
  const { stop, processAll } = await started;
  await processAll();
  await stop();
  return new WeakRef(handler);
}

test.each(Object.keys(starts) as (keyof typeof starts)[])('the bus keeps nothing of a stopped %s', async (name) => {
  const handler = await startAndStop(starts[name]);
  await eventually(() => {
    collectGarbage();
    // An error of `expect` would refer to the handler.
    expect(handler.deref() === undefined).toBe(true);
  });
});
