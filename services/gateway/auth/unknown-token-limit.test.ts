import { beforeEach, expect, test } from 'vitest';
import { createUnknownTokenLimit } from './unknown-token-limit.ts';

let now: number;
/** What was asked: a lookup of one token, or a check of many. */
let asked: { lookups: number; checks: number };

beforeEach(() => {
  now = 0;
  asked = { lookups: 0, checks: 0 };
});

const limitOf = (perMinute: number) => createUnknownTokenLimit(perMinute, () => now);

function send(limit: ReturnType<typeof limitOf>, token: 'known' | 'unknown', address = '10.0.0.1') {
  return limit.guard(
    address,
    async () => {
      asked.lookups += 1;
      await new Promise(setImmediate);
      return token === 'known' ? token : null;
    },
    async () => {
      asked.checks += 1;
      return token === 'known';
    },
  );
}

test('counts only unknown tokens, and checks first after too many, until the minute ends', async () => {
  const limit = limitOf(3);
  for (let i = 0; i < 10; i += 1) expect(await send(limit, 'known')).toBe('known');
  for (let i = 0; i < 3; i += 1) expect(await send(limit, 'unknown')).toBeNull();
  expect(asked).toEqual({ lookups: 13, checks: 0 });
  expect(await send(limit, 'unknown')).toBeNull();
  expect(asked).toEqual({ lookups: 13, checks: 1 });
  expect(await send(limit, 'known')).toBe('known');
  expect(asked).toEqual({ lookups: 14, checks: 2 });
  now += 60_000;
  await send(limit, 'unknown');
  expect(asked).toEqual({ lookups: 15, checks: 2 });
});

test('counts each address separately, and IPv6 by its /64', async () => {
  const limit = limitOf(1);
  await send(limit, 'unknown', '2001:db8::1');
  await send(limit, 'unknown', '2001:db8::2');
  expect(asked).toEqual({ lookups: 1, checks: 1 });
  await send(limit, 'unknown', '2001:db8:0:1::1');
  expect(asked).toEqual({ lookups: 2, checks: 1 });
});

test('bounds the lookups of all addresses together', async () => {
  const limit = limitOf(5);
  for (let n = 0; n < 300; n += 1) await send(limit, 'unknown', `10.0.${n >> 4}.${n}`);
  expect(asked).toEqual({ lookups: 100, checks: 200 });
  expect(await send(limit, 'known', '10.1.0.1')).toBe('known');
});

test('of many concurrent guesses exactly as many are looked up as the limit allows', async () => {
  const limit = limitOf(5);
  await Promise.all(Array.from({ length: 100 }, () => send(limit, 'unknown')));
  expect(asked).toEqual({ lookups: 5, checks: 95 });
});

test('of many concurrent known tokens, as after a start, none is refused', async () => {
  const limit = limitOf(5);
  const found = await Promise.all(Array.from({ length: 100 }, () => send(limit, 'known')));
  expect(new Set(found)).toEqual(new Set(['known']));
});

test('a failed lookup does not count', async () => {
  const limit = limitOf(1);
  const fails = () =>
    limit.guard(
      '10.0.0.1',
      () => Promise.reject(new Error('away')),
      async () => false,
    );
  for (let i = 0; i < 3; i += 1) await expect(fails()).rejects.toThrow('away');
  await send(limit, 'unknown');
  expect(asked).toEqual({ lookups: 1, checks: 0 });
});

test('0 is no limit', async () => {
  const limit = limitOf(0);
  for (let i = 0; i < 1_000; i += 1) await send(limit, 'unknown');
  expect(asked).toEqual({ lookups: 1_000, checks: 0 });
});
