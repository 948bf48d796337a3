import { expect, test } from 'vitest';
import { tooManyAttempts } from './rate-limit.ts';

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
