// Usage is sent to flags in batches, over a real bus with a stand-in for flags.

import { randomBytes } from 'node:crypto';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { reportUsage } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { longTest } from '@yardarm/testing';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { droppedUsage } from '../../metrics.ts';
import type { SentUsage } from './sent-usage.ts';
import { startUsage, type Usage } from './usage.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const now = Date.parse('2026-05-01T12:00:00Z');

let gateway: Bus;
let flags: Bus;
let usage: Usage;
/** The batches that flags has received, and those of them that it has stored, by id. */
let received: string[];
let stored: Map<string, number>;
let answer: 'stored' | 'lost' | 'away' | 'refused';

beforeEach(async () => {
  const options = { url: inject('natsUrl'), prefix: `t${randomBytes(6).toString('hex')}`, log };
  [gateway, flags] = await Promise.all([
    connectBus({ ...options, name: 'gateway' }),
    connectBus({ ...options, name: 'flags' }),
  ]);
  received = [];
  stored = new Map();
  answer = 'stored';
  flags.serve(reportUsage, async ({ batchId, rows }) => {
    received.push(batchId);
    if (answer === 'refused') throw new AppError('validation', 'No.');
    if (answer === 'away') throw new AppError('unavailable', 'The database is away.');
    stored.set(
      batchId,
      rows.reduce((sum, { yes }) => sum + yes, 0),
    );
    if (answer === 'lost') throw new AppError('timeout', 'The answer was lost.');
    return {};
  });
  usage = startUsage(gateway, log, () => now);
  await Promise.all([flags.flush(), gateway.flush()]);
});

afterEach(async () => {
  answer = 'stored';
  await usage.drain();
  await Promise.all([gateway.drain(), flags.drain()]);
});

const reporter = { environment: 'production', tokenId: 7, isFrontend: false };
const used = (yes: number, featureName = 'a'): SentUsage => ({
  counts: [{ application: 'shop', featureName, from: now, until: now, yes, no: 0, variants: [] }],
  instances: [],
  dropped: 0,
});
const total = () => [...stored.values()].reduce((sum, yes) => sum + yes, 0);
async function dropped(reason: string): Promise<number> {
  const { values } = await droppedUsage.get();
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
}

test('what was added is sent once, and nothing without any', async () => {
  usage.add(reporter, used(1));
  usage.add(reporter, used(2));
  await usage.send();
  await usage.send();
  expect([received.length, total()]).toEqual([1, 3]);
});

test.each(['lost', 'away'] as const)('a batch is sent again, unchanged, when the answer is %s', async (first) => {
  answer = first;
  usage.add(reporter, used(1));
  await usage.send();
  usage.add(reporter, used(10));
  await usage.send();
  expect(new Set(received).size).toBe(1);
  answer = 'stored';
  await usage.send();
  expect(new Set(received).size).toBe(2);
  expect(total()).toBe(11);
});

test('counts that are added while a batch is sent are in the next', async () => {
  usage.add(reporter, used(1));
  const sending = usage.send();
  usage.add(reporter, used(10));
  await Promise.all([sending, usage.send()]);
  expect(total()).toBe(11);
});

test('a batch that flags refuses is dropped and counted, and the next one is sent', async () => {
  const before = await dropped('refused');
  answer = 'refused';
  usage.add(reporter, used(1));
  await usage.send();
  answer = 'stored';
  usage.add(reporter, used(10));
  await usage.send();
  expect([total(), (await dropped('refused')) - before]).toEqual([10, 1]);
});

test('a drain sends the rest, and repeats what has no answer', async () => {
  answer = 'lost';
  usage.add(reporter, used(1));
  await usage.send();
  usage.add(reporter, used(10));
  const draining = usage.drain();
  answer = 'stored';
  await draining;
  expect(total()).toBe(11);
});

longTest('a drain gives up in time when flags does not answer, and counts what is lost', async () => {
  const before = await dropped('unsent');
  answer = 'away';
  usage.add(reporter, used(1));
  usage.add(reporter, used(1, 'b'));
  await usage.drain();
  expect((await dropped('unsent')) - before).toBe(2);
});
