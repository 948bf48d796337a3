// How a gateway admits signals with keys and without, over a real bus with a stand-in for signals: this version, and
// the release before, which has blocks of one without a lifetime up to a rate of ten and does not find keys.
import { randomBytes } from 'node:crypto';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { type ClaimedSignal, claimKey, findKey, takeAdmissions } from '@yardarm/shared/contracts/signals';
import { createLogger } from '@yardarm/shared/log';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { systemContext } from '../system-context.ts';
import { SignalAdmissions } from './signal-admissions.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const grantedAt = 1_800_000_000_000;

let gateway: Bus;
let signals: Bus;
let admissions: SignalAdmissions;
/** How many admissions the stand-in grants, and the keys that are claimed. */
let free: number;
let keys: Map<string, ClaimedSignal>;
let asked: { takes: number; claims: number; finds: number };
let limit: number;

beforeEach(async () => {
  const options = { url: inject('natsUrl'), prefix: `t${randomBytes(6).toString('hex')}`, log };
  [gateway, signals] = await Promise.all([
    connectBus({ ...options, name: 'gateway' }),
    connectBus({ ...options, name: 'signals' }),
  ]);
  [free, keys, asked, limit] = [1, new Map(), { takes: 0, claims: 0, finds: 0 }, 5];
  let nextId = 1;
  signals.serve(takeAdmissions, async ({ wanted, lifetimeMs }) => {
    asked.takes += 1;
    const count = Math.min(wanted, free, limit <= 10 ? 1 : wanted);
    free -= count;
    const ids = Array.from({ length: count }, () => nextId++);
    const lease = count === 0 ? null : { ids, grantedAt, lifetimeMs: limit <= 10 ? 0 : lifetimeMs };
    return { limit, lease, claimed: null, retryAfterMs: free > 0 ? 0 : 60_000 };
  });
  signals.serve(claimKey, async ({ key, id, createdAt, bodyHash }) => {
    asked.claims += 1;
    const claimed = keys.get(key) ?? { id, createdAt, bodyHash, keptMs: 60_000 };
    keys.set(key, claimed);
    return claimed;
  });
  admissions = new SignalAdmissions(gateway);
});
afterEach(async () => {
  await Promise.all([gateway?.drain(), signals?.drain()]);
});

const serveFind = () =>
  signals.serve(findKey, async ({ key }) => {
    asked.finds += 1;
    return { claimed: keys.get(key) ?? null };
  });
const admit = (key?: string, bodyHash = 'body') =>
  admissions.admit({ endpointId: 1, tokenId: 1 }, key === undefined ? null : { key, bodyHash }, systemContext(5_000));
const refusal = (key?: string) => admissions.refusal({ endpointId: 1, tokenId: 1 }, key);
const known = (id: number): ClaimedSignal => ({ id, createdAt: 5, bodyHash: 'body', keptMs: 60_000 });

describe.each(['this version', 'the release before'])('with the signals service of %s', (version) => {
  beforeEach(async () => {
    if (version === 'this version') serveFind();
    await signals.flush();
  });

  test.each([5, 1_000])('at %i a second a signal has the admission of one request', async (rate) => {
    limit = rate;
    expect(await admit()).toEqual({ id: 1, createdAt: grantedAt });
    await expect(admit()).rejects.toMatchObject({ code: 'rate-limited', retryAfterSeconds: 60 });
    expect(asked).toEqual({ takes: 1, claims: 0, finds: 0 });
  });

  test.each([5, 1_000])('at %i a second a key is claimed once, by a request of its own', async (rate) => {
    limit = rate;
    expect(await Promise.all([admit('new'), admit('new')])).toEqual([
      { id: 1, createdAt: grantedAt },
      { id: 1, createdAt: grantedAt },
    ]);
    expect(await admit('new')).toEqual({ id: 1, createdAt: grantedAt });
    await expect(admit('new', 'other')).rejects.toMatchObject({ code: 'unprocessable' });
    expect(asked).toMatchObject({ takes: 1, claims: 1 });
  });

  test('a key that another gateway has claimed gets its signal', async () => {
    keys.set('known', known(77));
    expect(await admit('known')).toEqual({ id: 77, createdAt: 5 });
  });
});

describe('a key that another gateway has claimed', () => {
  beforeEach(async () => {
    serveFind();
    await signals.flush();
    keys.set('known', known(77));
  });

  test('uses no admission', async () => {
    expect(await admit('known')).toEqual({ id: 77, createdAt: 5 });
    expect(asked).toEqual({ takes: 0, claims: 0, finds: 1 });
    expect(await admit()).toEqual({ id: 1, createdAt: grantedAt });
  });

  test('gives the admission of a block back', async () => {
    [limit, free] = [1_000, 2];
    const [first, second] = await Promise.all([admit(), admit()]);
    expect([first.id, second.id]).toEqual([1, 2]);
  });

  test('gets its signal while the rate is used up', async () => {
    await admit();
    await expect(admit()).rejects.toMatchObject({ code: 'rate-limited' });
    expect(await admit('known')).toEqual({ id: 77, createdAt: 5 });
  });
});

test('of a flood of new keys at most ten are looked up while the rate is used up', async () => {
  serveFind();
  await signals.flush();
  await admit();
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => admit(`key-${n}`)));
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'rate-limited' } });
  expect(asked).toEqual({ takes: 1, claims: 0, finds: 10 });
  expect(refusal('key-100')).toMatchObject({ code: 'rate-limited' });
});

test('a signal is refused before its body is looked at while the rate is used up', async () => {
  expect(refusal()).toBeNull();
  await admit('used');
  await expect(admit()).rejects.toMatchObject({ code: 'rate-limited' });
  expect(refusal()).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 60 });
  for (const key of ['used', 'one-that-may-be-found']) expect(refusal(key)).toBeNull();
});
