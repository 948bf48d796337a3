import { expect, test } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

const start = Date.parse('2026-05-01T12:00:10Z');

test('an address may send so many in a minute, others are not affected, and the next minute begins anew', () => {
  let now = start;
  const limit = createRateLimit(2, () => now);
  limit.use('192.0.2.1');
  limit.use('192.0.2.1');
  expect(() => limit.use('192.0.2.1')).toThrow(
    expect.objectContaining({ code: 'rate-limited', retryAfterSeconds: 50 }),
  );
  limit.use('192.0.2.2');
  now += 50_000;
  limit.use('192.0.2.1');
});

test('a use that is given back can be used again, and one of an earlier minute is not given back in the next', () => {
  let now = start;
  const limit = createRateLimit(1, () => now);
  const giveBack = limit.tryUse('192.0.2.1');
  expect(limit.tryUse('192.0.2.1')).toBeNull();
  giveBack!();
  const late = limit.tryUse('192.0.2.1');
  now += 60_000;
  expect(limit.tryUse('192.0.2.1')).not.toBeNull();
  late!();
  expect(limit.tryUse('192.0.2.1')).toBeNull();
});

test('0 is no limit', () => {
  const limit = createRateLimit(0);
  for (let count = 0; count < 10_000; count += 1) limit.use('192.0.2.1');
  expect(limit.tryUse('192.0.2.1')).not.toBeNull();
});
