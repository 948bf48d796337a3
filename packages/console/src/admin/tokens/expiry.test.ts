import { expect, test } from 'vitest';
import { expiresAt, expiryState } from './expiry.ts';

const now = new Date('2026-01-31T12:00:00.000Z');

test('a token expires after some days, at the end of a date, or never', () => {
  expect(expiresAt({ kind: '7', date: '' }, now)).toBe('2026-02-07T12:00:00.000Z');
  expect(expiresAt({ kind: 'date', date: '2026-12-31' }, now)).toBe('2026-12-31T23:59:59.999Z');
  expect(expiresAt({ kind: 'never', date: '2026-12-31' }, now)).toBeNull();
});

test('an expiry within a week is soon', () => {
  expect(expiryState(null, now)).toBe('never');
  expect(expiryState('2026-01-31T12:00:00.000Z', now)).toBe('expired');
  expect(expiryState('2026-02-07T12:00:00.000Z', now)).toBe('soon');
  expect(expiryState('2026-02-07T12:00:00.001Z', now)).toBe('later');
});
