import { expect, test } from 'vitest';
import { createUnknownTokenLimit } from './unknown-token-limit.ts';

const unknown = async () => null;
const known = async () => 'a token';

test('counts only unknown tokens, and refuses without a lookup after too many', async () => {
  const limit = createUnknownTokenLimit(3);
  for (let i = 0; i < 10; i += 1) expect(await limit.guard('10.0.0.1', known)).toBe('a token');
  for (let i = 0; i < 3; i += 1) expect(await limit.guard('10.0.0.1', unknown)).toBeNull();
  let lookedUp = 0;
  const refused = limit.guard('10.0.0.1', async () => {
    lookedUp += 1;
    return 'a token';
  });
  await expect(refused).rejects.toMatchObject({ code: 'rate-limited', retryAfterSeconds: expect.any(Number) });
  expect(lookedUp).toBe(0);
});

test('counts each address separately, and IPv6 by its /64', async () => {
  const limit = createUnknownTokenLimit(1);
  await limit.guard('2001:db8::1', unknown);
  await expect(limit.guard('2001:db8::2', known)).rejects.toMatchObject({ code: 'rate-limited' });
  expect(await limit.guard('2001:db8:0:1::1', known)).toBe('a token');
});

test('of many concurrent guesses exactly as many are looked up as the limit allows', async () => {
  const limit = createUnknownTokenLimit(5);
  let lookedUp = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, () =>
      limit.guard('10.0.0.1', async () => {
        lookedUp += 1;
        await new Promise(setImmediate);
        return null;
      }),
    ),
  );
  expect(lookedUp).toBe(5);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(95);
});

test('of many concurrent known tokens, as after a start, none is refused', async () => {
  const limit = createUnknownTokenLimit(5);
  const found = await Promise.all(
    Array.from({ length: 100 }, () =>
      limit.guard('10.0.0.1', async () => {
        await new Promise(setImmediate);
        return 'a token';
      }),
    ),
  );
  expect(found).toHaveLength(100);
});

test('a failed lookup does not count', async () => {
  const limit = createUnknownTokenLimit(1);
  for (let i = 0; i < 3; i += 1)
    await expect(limit.guard('10.0.0.1', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await limit.guard('10.0.0.1', unknown)).toBeNull();
});

test('0 is no limit', async () => {
  const limit = createUnknownTokenLimit(0);
  for (let i = 0; i < 1_000; i += 1) expect(await limit.guard('10.0.0.1', unknown)).toBeNull();
});
