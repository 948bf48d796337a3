import { describe, expect, it } from 'vitest';
import { type AttemptEnd, afterAttempt, retryWaitsMs } from './delivery.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const end = (status: number | null, retryAfter: string | null = null): AttemptEnd => ({
  next: status === 410 ? 'disable' : status !== null && status >= 200 && status < 300 ? 'done' : 'retry',
  retryAfter,
});
const next = (number: number, attempt: AttemptEnd, random = 0) => afterAttempt(number, attempt, { random, nowMs });
const hours = (ms: number) => ms / 3_600_000;

describe('after an attempt', () => {
  it.each([200, 201, 204, 299])('with the answer %i the delivery has succeeded', (status) => {
    expect(next(1, end(status))).toEqual({ state: 'succeeded' });
    expect(next(10, end(status))).toEqual({ state: 'succeeded' });
  });

  it.each([[301], [400], [401], [404], [429], [500], [503], [null]])(
    'with the answer %s the delivery is retried',
    (status) => {
      expect(next(1, end(status))).toEqual({ state: 'waiting', nextAttemptInMs: 5_000 });
    },
  );

  it.each([
    [1, 5],
    [2, 5 * 60],
    [3, 30 * 60],
    [4, 2 * 3_600],
    [5, 5 * 3_600],
    [6, 10 * 3_600],
    [7, 14 * 3_600],
    [8, 20 * 3_600],
    [9, 24 * 3_600],
  ])('number %i that failed the next follows in %i seconds plus at most a tenth', (number, seconds) => {
    expect(next(number, end(500), 0)).toEqual({ state: 'waiting', nextAttemptInMs: seconds * 1_000 });
    expect(next(number, end(500), 1)).toEqual({ state: 'waiting', nextAttemptInMs: seconds * 1_100 });
  });

  it('number ten that failed the delivery is given up, about 75 hours after the first', () => {
    expect(next(10, end(500))).toEqual({ state: 'gave-up', isGone: false });
    expect(next(11, end(null))).toEqual({ state: 'gave-up', isGone: false });
    expect(hours(retryWaitsMs.reduce((sum, wait) => sum + wait))).toBeCloseTo(75.58, 1);
  });

  it('with the answer 410 the delivery is given up at once, whatever Retry-After says', () => {
    expect(next(1, end(410, '5'))).toEqual({ state: 'gave-up', isGone: true });
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['Sun, 01 Mar 2026 13:00:00 GMT', 3_600_000],
    ['86400', 86_400_000],
    // The limit is a day.
    ['999999999999', 86_400_000],
    ['Mon, 01 Mar 2126 13:00:00 GMT', 86_400_000],
    // The schedule asks for more.
    ['1', 5_000],
    ['0', 5_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 5_000],
    ['soon', 5_000],
    ['', 5_000],
    ['-5', 5_000],
  ])('of "%s" waits %i ms after the first attempt', (header, milliseconds) => {
    expect(next(1, end(503, header))).toEqual({ state: 'waiting', nextAttemptInMs: milliseconds });
  });

  it('neither shortens the schedule nor adds an eleventh attempt', () => {
    expect(next(9, end(429, '10'))).toEqual({ state: 'waiting', nextAttemptInMs: 24 * 3_600_000 });
    expect(next(10, end(429, '10'))).toEqual({ state: 'gave-up', isGone: false });
  });
});
