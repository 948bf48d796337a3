// Proves: a stopping process finishes its work, loses no request, and exits by itself, with or without a server.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { startTestNats, type TestNats } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { request } from '../contracts/contract.ts';
import { connectBus } from './connect-bus.ts';
import { contextWith, keepingLogger, thrownBy } from './testing/bus-rig.ts';

let nats: TestNats;
const { log } = keepingLogger();

beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats.remove());

const connectTest = () => connectBus({ url: nats.url, name: 'test', prefix: '', log });
const echo = request({
  name: 'flags.number.echo',
  writes: false,
  summary: 'for this test',
  input: z.object({ number: z.number() }),
  output: z.object({ number: z.number() }),
  permission: 'internal',
});

test('requests in flight are answered, and later ones reach the other replica', async () => {
  const [stopping, staying, client] = [await connectTest(), await connectTest(), await connectTest()];
  let inFlight = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  stopping.serve(echo, async ({ number }) => {
    inFlight += 1;
    await released;
    // A handler may still send requests during the drain.
    await stopping.request(slowEcho, { number }, contextWith());
    return { number };
  });
  const slowEcho = { ...echo, name: 'flags.number.echo-slowly' };
  staying.serve(slowEcho, async ({ number }) => ({ number }));
  await Promise.all([stopping.flush(), staying.flush()]);
  const asked = [1, 2, 3].map((number) => client.request(echo, { number }, contextWith()));
  while (inFlight < 3) await client.flush();

  const drained = stopping.drain();
  staying.serve(echo, async ({ number }) => ({ number: -number }));
  await staying.flush();
  const later = await thrownBy(async () => {
    for (;;) {
      const answer = await client.request(echo, { number: 9 }, contextWith());
      if (answer.number === -9) throw new Error('answered by the one that stays');
    }
  });
  expect(later).toMatchObject({ message: 'answered by the one that stays' });
  release();
  expect(await Promise.all(asked)).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
  await drained;
  expect(await thrownBy(() => stopping.request(echo, { number: 1 }, contextWith()))).toMatchObject({
    code: 'unavailable',
  });
  await Promise.all([staying.drain(), client.drain()]);
});

const script = `
  const { connectBus } = await import(process.argv[1]);
  const quiet = { warn() {}, info() {}, error() {}, debug() {}, child: () => quiet };
  const bus = await connectBus({ url: process.argv[2], name: 'child', prefix: 'child', log: quiet });
  await bus.ensureStreams(['EVENTS']);
  await bus.consume({ stream: 'EVENTS', durable: 'd', concurrency: 3 }, async () => {});
  bus.read({ stream: 'EVENTS', from: async () => ({ incarnation: null, lastSequence: 0 }), maxBatch: 10 }, async () => {});
  bus.onStreamRecreated('EVENTS', () => {});
  process.once('SIGTERM', async () => {
    await bus.drain();
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    process.stdout.write(' drained, timers left: ' + timers.length);
  });
  process.stdout.write('up');
`;

test.each(['with a server', 'without one'])('a process that has drained exits by itself, %s', async (how) => {
  const own = await startTestNats();
  const index = path.join(import.meta.dirname, 'index.ts');
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, index, own.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let output = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data) => {
      output += String(data);
      resolve();
    });
  });
  if (how === 'without one') await own.kill();
  child.kill('SIGTERM');
  expect(await code).toBe(0);
  expect(output).toBe('up drained, timers left: 0');
  await own.remove();
});
