// The last uses of tokens, sent to accounts in batches, over a real bus with a stand-in for accounts.
import { randomBytes } from 'node:crypto';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { maxSeenTokens, reportSeenTokens } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type SeenTokens, startSeenTokens } from './seen-tokens.ts';

const log = createLogger({ service: 'test', level: 'silent' });

let gateway: Bus;
let accounts: Bus;
let reports: { id: number; at: string }[][];
let isAway: boolean;
let now: number;
let seen: SeenTokens;

const at = (ms: number) => new Date(ms).toISOString();

beforeEach(async () => {
  const options = { url: inject('natsUrl'), prefix: `t${randomBytes(6).toString('hex')}`, log };
  [gateway, accounts] = await Promise.all([
    connectBus({ ...options, name: 'gateway' }),
    connectBus({ ...options, name: 'accounts' }),
  ]);
  reports = [];
  isAway = false;
  accounts.serve(reportSeenTokens, async ({ seen: report }) => {
    if (isAway) throw new AppError('unavailable', 'The database is away.');
    reports.push(report);
    return {};
  });
  now = Date.parse('2026-05-01T12:00:00Z');
  seen = startSeenTokens(gateway, log, () => now);
  await Promise.all([accounts.flush(), gateway.flush()]);
});

afterEach(async () => {
  await seen.drain();
  await Promise.all([gateway.drain(), accounts.drain()]);
});

test('sends the latest use of each token in one message, and nothing without uses', async () => {
  seen.record(1);
  seen.record(2);
  now += 1_000;
  seen.record(1);
  await seen.send();
  await seen.send();
  expect(reports).toEqual([
    [
      { id: 1, at: at(now) },
      { id: 2, at: at(now - 1_000) },
    ],
  ]);
});

test('sends uses later that could not be sent, and the latest of each token', async () => {
  isAway = true;
  seen.record(1);
  seen.record(2);
  const sending = seen.send();
  now += 1_000;
  seen.record(2);
  await sending;
  expect(reports).toEqual([]);
  isAway = false;
  await seen.send();
  expect(reports.flat().sort((a, b) => a.id - b.id)).toEqual([
    { id: 1, at: at(now - 1_000) },
    { id: 2, at: at(now) },
  ]);
});

test('sends many in several messages', async () => {
  for (let id = 1; id <= maxSeenTokens + 1; id += 1) seen.record(id);
  await seen.send();
  expect(reports.map((report) => report.length)).toEqual([maxSeenTokens, 1]);
});

test('sends the rest when it is drained', async () => {
  seen.record(5);
  await seen.drain();
  expect(reports).toEqual([[{ id: 5, at: at(now) }]]);
});
