// A bus whose server is not there at first.

import { startTestNats, type TestNats } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { hint, request } from '../contracts/contract.ts';
import type { Bus } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { connectInBackground } from './connect-in-background.ts';
import { contextWith, keepingLogger } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

let nats: TestNats;
const open: Bus[] = [];
const { log, lines } = keepingLogger();

const echo = request({
  name: 'flags.number.echo',
  writes: false,
  summary: 'for this test',
  input: z.object({ number: z.number() }),
  output: z.object({ number: z.number() }),
  permission: 'internal',
});
const wake = hint({ name: 'flags.wake', summary: 'for this test', payload: z.object({ number: z.number() }) });

beforeEach(async () => {
  nats = await startTestNats();
  await nats.kill();
  lines.length = 0;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((bus) => bus.drain()));
  await nats.remove();
});

const optionsOf = (name: string) => ({ url: nats.url, name, prefix: '', log });

function busInBackground(): Bus {
  const bus = connectInBackground(connectBus, optionsOf('early'));
  open.push(bus);
  return bus;
}

test('without a server requests and publishes are unavailable at once', async () => {
  const bus = busInBackground();
  const refusal = { code: 'unavailable', retryAfterSeconds: 1 };
  await expect(bus.request(echo, { number: 1 }, contextWith())).rejects.toMatchObject(refusal);
  await expect(bus.publish('evt.flags.x', {}, { msgId: 'm' })).rejects.toMatchObject(refusal);
  await expect(bus.flush()).rejects.toMatchObject(refusal);
  bus.hint(wake, { number: 1 });
  expect(bus.state()).toMatchObject({ connected: false, serverVersion: null });
});

test('handlers that were added without a server get requests and hints when it is there', async () => {
  const bus = busInBackground();
  const numbers: number[] = [];
  const statuses: boolean[] = [];
  bus.serve(echo, async ({ number }) => ({ number }));
  bus.onHint(wake, ({ number }) => void numbers.push(number));
  bus.onStatus((connected) => void statuses.push(connected));
  const remove = bus.onStatus(() => void statuses.push(false));
  remove();
  await nats.start();
  await bus.connected();
  expect(bus.state()).toMatchObject({ connected: true });
  expect(statuses).toEqual([true]);

  const other = await connectBus(optionsOf('other'));
  open.push(other);
  expect(await other.request(echo, { number: 7 }, contextWith())).toEqual({ number: 7 });
  other.hint(wake, { number: 8 });
  await pollUntil(async () => expect(numbers).toEqual([8]));

  await nats.kill();
  await pollUntil(async () => expect(statuses).toEqual([true, false]));
});

test('a drain ends the attempts to connect', async () => {
  const bus = busInBackground();
  await pollUntil(async () => expect(JSON.stringify(lines)).toContain('no connection to NATS yet'));
  const waiting = expect(bus.connected()).rejects.toMatchObject({ code: 'unavailable' });
  await bus.drain();
  await waiting;
  await nats.start();
  const other = await connectBus(optionsOf('other'));
  open.push(other);
  expect(bus.state().connected).toBe(false);
});

test('an invalid address is refused at once', () => {
  expect(() => connectInBackground(connectBus, { ...optionsOf('early'), url: 'nats://a b' })).toThrow(
    'nats://host:port',
  );
});
