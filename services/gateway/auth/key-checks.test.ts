import { describe, expect, test } from 'vitest';
import { KeyChecks, maxAsked, maxQueued, maxQueuedOfAddress, maxQueuedOfSeveral } from './key-checks.ts';

const guesses = (count: number) => Array.from({ length: count }, (_, n) => `guess-${n}`);

/** An owner of the key `real`, which keeps each request. */
function owner() {
  const requests: (readonly string[])[] = [];
  const checks = new KeyChecks(async (keys) => {
    requests.push(keys);
    return keys.filter((key) => key === 'real');
  });
  return { requests, checks };
}

describe('a key whose address has sent thousands of guesses', () => {
  test('is found within the requests that a full queue takes', async () => {
    const { requests, checks } = owner();
    const guessed = guesses(maxQueued - 1).map((key) => checks.exists(key, '10.0.0.1'));
    expect(await checks.exists('real', '10.0.0.1')).toBe(true);
    // The first request is that of the first guess, which waited for no other one.
    expect(requests.map(({ length }) => length)).toEqual([1, 1_000, 1_000, 1_000, 1_000, 999]);
    expect(new Set(await Promise.all(guessed))).toEqual(new Set([false]));
  });

  test('is refused when the queue is full, and found when there is room again', async () => {
    const { checks } = owner();
    const guessed = guesses(maxQueued + 1).map((key) => checks.exists(key, '10.0.0.1'));
    await expect(checks.exists('real', '10.0.0.1')).rejects.toMatchObject({
      ...{ code: 'rate-limited', retryAfterSeconds: 1 },
    });
    await guessed[1];
    expect(await checks.exists('real', '10.0.0.1')).toBe(true);
  });
});

test('a key of another address is in the next request, whatever one address guesses', async () => {
  const { requests, checks } = owner();
  for (const key of guesses(maxQueued - 1)) void checks.exists(key, '10.0.0.1');
  expect(await checks.exists('real', '10.0.0.2')).toBe(true);
  expect(requests).toHaveLength(2);
  expect(requests[1]).toHaveLength(maxAsked);
});

test('addresses take turns', async () => {
  const { requests, checks } = owner();
  const sent = ['1', '2', '3'].flatMap((address) =>
    guesses(3).map((key) => checks.exists(`${address}:${key}`, `10.0.0.${address}`)),
  );
  await Promise.all(sent);
  expect(requests[1]).toEqual([
    '1:guess-1',
    '2:guess-0',
    '3:guess-0',
    '1:guess-2',
    '2:guess-1',
    '3:guess-1',
    '2:guess-2',
    '3:guess-2',
  ]);
});

test('keys of requests that name several leave room for a key that is named alone', async () => {
  const { checks } = owner();
  const outcomes: Promise<unknown>[] = [];
  const send = (address: string) => {
    for (const key of guesses(maxQueuedOfAddress + 10))
      outcomes.push(checks.exists(`${address} ${key}`, address, true).catch(({ code }) => code));
  };
  for (let n = 1; n <= 10; n += 1) send(`10.0.0.${n}`);
  const real = [checks.exists('real', '10.0.0.1'), checks.exists('real', '10.1.0.1')];
  const several = checks.exists('real', '10.1.0.2', true);
  await expect(several).rejects.toMatchObject({ code: 'rate-limited' });
  expect(await Promise.all(real)).toEqual([true, true]);
  const accepted = (await Promise.all(outcomes)).filter((outcome) => outcome === false);
  // The first one is asked at once and needs no place.
  expect(accepted).toHaveLength(maxQueuedOfSeveral + 1);
});

test('when the owner does not answer, all that wait fail at once, and later ones are asked', async () => {
  let isAway = true;
  let requests = 0;
  const checks = new KeyChecks(async (keys) => {
    requests += 1;
    await new Promise(setImmediate);
    if (isAway) throw new Error('away');
    return keys;
  });
  const sent = await Promise.allSettled(guesses(3_000).map((key) => checks.exists(key, '10.0.0.1')));
  expect(sent.every(({ status }) => status === 'rejected')).toBe(true);
  expect(requests).toBe(1);
  isAway = false;
  expect(await checks.exists('real', '10.0.0.1')).toBe(true);
});
