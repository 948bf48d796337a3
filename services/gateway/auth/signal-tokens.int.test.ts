// The cache of the tokens of signal endpoints, over a real bus with a stand-in for signals.
import { randomBytes } from 'node:crypto';
import { makeToken } from '@yardarm/shared/auth';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import {
  findExistingSignalSelectors,
  findSignalToken,
  type SignalToken,
  signalEndpointChangedHint,
  signalTokenChangedHint,
} from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { systemContext } from '../system-context.ts';
import { createSignalTokens, type SignalTokens } from './signal-tokens.ts';
import { createUnknownTokenLimit } from './unknown-token-limit.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const { selector, hash } = makeToken('signal_');
const presented = { selector, hash };

let gateway: Bus;
let signals: Bus;
let tokens: SignalTokens;
let stored: SignalToken | null;
let asked: number;
let isAway: boolean;
let held: Promise<void> | null;
let now: number;

beforeAll(async () => {
  const options = { url: inject('natsUrl'), prefix: `t${randomBytes(6).toString('hex')}`, log };
  [gateway, signals] = await Promise.all([
    connectBus({ ...options, name: 'gateway' }),
    connectBus({ ...options, name: 'signals' }),
  ]);
  signals.serve(findSignalToken, async (input) => {
    asked += 1;
    const token = input.selector === selector ? stored : null;
    await held;
    if (isAway) throw new AppError('unavailable', 'The database cannot be reached');
    return { token };
  });
  signals.serve(findExistingSignalSelectors, async ({ selectors }) => ({
    existing: selectors.filter((each) => each === selector && stored !== null),
  }));
  await Promise.all([gateway.flush(), signals.flush()]);
});

beforeEach(async () => {
  stored = { id: 11, selector, hash, endpoint: { id: 1, name: 'orders', enabled: true } };
  [asked, isAway, held, now] = [0, false, null, 1_000_000];
  tokens = createSignalTokens(
    gateway,
    createUnknownTokenLimit(5, () => now),
    () => now,
  );
  await gateway.flush();
});

afterAll(async () => {
  await Promise.all([gateway?.drain(), signals?.drain()]);
});

const find = async (token = presented, address = '10.0.0.1') =>
  tokens.find(token, { context: systemContext(2_000), address });
const refusal = (token = presented, address?: string) =>
  find(token, address).then(
    () => 'none',
    (error) => error.code,
  );
const off = (): SignalToken => ({ ...stored!, endpoint: { ...stored!.endpoint, enabled: false } });

test('a token is asked for once, also by concurrent requests', async () => {
  await Promise.all(Array.from({ length: 20 }, () => find()));
  now += 9_999;
  expect(await find()).toEqual(stored);
  expect(asked).toBe(1);
});

test('another secret of the same selector is refused from memory', async () => {
  await find();
  expect(await find({ selector, hash: makeToken('signal_').hash })).toBeNull();
  expect(await find()).toEqual(stored);
  expect(asked).toBe(1);
});

test.each([
  ['its token', () => signals.hint(signalTokenChangedHint, { selector }), () => null],
  ['its endpoint', () => signals.hint(signalEndpointChangedHint, { endpointId: 1 }), off],
])('a hint for %s takes effect at once', async (_title, hint, changed) => {
  await find();
  stored = changed();
  hint();
  await eventually(async () => expect(await find()).toEqual(stored));
});

test('a hint for another endpoint changes nothing', async () => {
  await find();
  stored = null;
  signals.hint(signalEndpointChangedHint, { endpointId: 2 });
  // The hints of one connection arrive in their order.
  let isHandled = false;
  gateway.onHint(signalTokenChangedHint, () => {
    isHandled = true;
  });
  await gateway.flush();
  signals.hint(signalTokenChangedHint, { selector: 'another' });
  await eventually(() => expect(isHandled).toBe(true));
  expect(await find()).not.toBeNull();
  expect(asked).toBe(1);
});

test('without the hint a deletion takes effect within 30 s', async () => {
  await find();
  stored = null;
  now += 10_000;
  // Answers from memory, and asks in the background.
  expect(await find()).not.toBeNull();
  await eventually(async () => expect(await find()).toBeNull());
  expect(asked).toBe(2);
});

test('an answer that was in flight during a hint is not stored', async () => {
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  const early = find();
  await eventually(() => expect(asked).toBe(1));
  stored = off();
  signals.hint(signalEndpointChangedHint, { endpointId: 1 });
  await signals.flush();
  await gateway.flush();
  release();
  held = null;
  await early;
  await eventually(async () => expect(await find()).toEqual(stored));
});

test('while signals is away a token of the last 25 s is known, and an older one is 503', async () => {
  await find();
  isAway = true;
  now += 24_999;
  expect(await find()).toEqual(stored);
  now += 1;
  expect(await refusal()).toBe('unavailable');
  isAway = false;
  expect(await find()).toEqual(stored);
});

test('an unknown token is refused from memory for ten seconds, and guesses refuse no token that exists', async () => {
  const guess = () => {
    const { selector: guessed, hash: guessedHash } = makeToken('signal_');
    return { selector: guessed, hash: guessedHash };
  };
  const wrong = guess();
  expect(await find(wrong)).toBeNull();
  expect(await find(wrong)).toBeNull();
  expect(asked).toBe(1);
  now += 10_000;
  expect(await find(wrong)).toBeNull();
  expect(asked).toBe(2);
  for (let count = 0; count < 3; count += 1) expect(await find(guess())).toBeNull();
  for (let count = 0; count < 20; count += 1) expect(await find(guess())).toBeNull();
  expect(asked).toBe(5);
  expect(await find()).toEqual(stored);
  now += 25_000;
  // A token that was known is asked for without the limit.
  expect(await find()).toEqual(stored);
});

test('a token that is created after it was guessed works with the hint', async () => {
  const created = stored;
  stored = null;
  expect(await find()).toBeNull();
  stored = created;
  signals.hint(signalTokenChangedHint, { selector });
  await eventually(async () => expect(await find()).toEqual(stored));
});
