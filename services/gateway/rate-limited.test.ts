import { AppError } from '@yardarm/shared/errors';
import { beforeEach, expect, test } from 'vitest';
import { refusedRequests } from './metrics.ts';
import { countRefusal, RateLimited } from './rate-limited.ts';

beforeEach(() => refusedRequests.reset());

const counted = async () =>
  (await refusedRequests.get()).values.map(({ labels, value }) => [labels.limit, value] as const);

test('a refusal is sent as rate-limited, and counts under its limit', async () => {
  const error = new RateLimited('streams', 'All streams are in use.', 15);
  expect(error).toMatchObject({ code: 'rate-limited', status: 429, retryAfterSeconds: 15 });
  countRefusal(error);
  countRefusal(error);
  expect(await counted()).toEqual([['streams', 2]]);
});

test('a refusal of accounts counts as an attempt, and other errors do not count', async () => {
  countRefusal(new AppError('rate-limited', 'Too many wrong passwords.'));
  countRefusal(new AppError('unavailable', 'away'));
  countRefusal(new Error('a bug'));
  expect(await counted()).toEqual([['attempts', 1]]);
});
