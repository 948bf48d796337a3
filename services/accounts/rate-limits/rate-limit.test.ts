import { expect, test } from 'vitest';
import { accountKey, tooManyAttempts } from './rate-limit.ts';

test('an account is counted by the name as typed, in any case, and the name is not stored', () => {
  expect(accountKey('Nobody')).toBe(accountKey('nobody'));
  expect(accountKey('ann')).not.toBe(accountKey('ann@example.com'));
  expect(accountKey('hunter2')).not.toContain('hunter2');
});

test.each([
  [59_001, 60],
  [1, 1],
  [0, 1],
  [-5, 1],
])('with %i ms left the error says to wait %i s', (ms, seconds) => {
  const error = tooManyAttempts('logins', ms);
  expect(error).toMatchObject({ code: 'rate-limited', retryAfterSeconds: seconds });
  expect(error.message).toContain(`${seconds} seconds`);
});
