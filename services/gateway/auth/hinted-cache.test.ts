// Proves which keys stay when memory is full, and that the clock of the system makes no key younger. The states of a
// key are proved with the tokens (tokens.int.test.ts, signal-tokens.int.test.ts).
import { AppError } from '@yardarm/shared/errors';
import { expect, test, vi } from 'vitest';
import { systemContext } from '../system-context.ts';
import { HintedCache, type HintedCacheOptions } from './hinted-cache.ts';
import { createUnknownTokenLimit } from './unknown-token-limit.ts';

const maxEntries = 20_000;
const caller = { context: systemContext(1_000), address: '192.0.2.1' };

const options: HintedCacheOptions<string> = {
  ask: async (key) => (key.startsWith('known') ? `value of ${key}` : null),
  limit: createUnknownTokenLimit(0),
  askExisting: async () => [],
  owner: 'accounts',
};

/** A cache whose owner knows every key that begins with "known", and the keys for which the owner was asked. */
function cacheOfKnown() {
  const asked: string[] = [];
  const ask: typeof options.ask = async (key, context) => {
    asked.push(key);
    return options.ask(key, context);
  };
  const cache = new HintedCache<string>({ ...options, ask, clock: () => 0 });
  const findAll = async (prefix: string, count: number) => {
    for (let number = 0; number < count; number += 1) {
      await cache.find(`${prefix}-${number}`, caller);
      // Another caller uses the first key all the time.
      if (number % 1_000 === 0) await cache.find('known', caller);
    }
  };
  return { cache, asked, findAll };
}

test('a key in use stays when more keys come than memory has room for, and the least used one goes', async () => {
  const { cache, asked, findAll } = cacheOfKnown();
  await cache.find('known', caller);
  await cache.find('known-unused', caller);
  await findAll('known', maxEntries);
  expect(cache.entries()).toHaveLength(maxEntries);
  asked.length = 0;
  expect(cache.find('known', caller)).toBe('value of known');
  expect(await cache.find('known-unused', caller)).toBe('value of known-unused');
  expect(asked).toEqual(['known-unused']);
});

test('guesses evict no known key', async () => {
  const { cache, findAll } = cacheOfKnown();
  await cache.find('known-unused', caller);
  await findAll('guess', maxEntries + 10);
  expect(cache.find('known-unused', caller)).toBe('value of known-unused');
});

test('a hint for all keys forgets each of them', async () => {
  const { cache, asked, findAll } = cacheOfKnown();
  await findAll('known', 100);
  cache.forgetAll((value) => value !== 'value of known-50');
  expect(cache.entries().map(([key]) => key)).toEqual(['known-50']);
  asked.length = 0;
  await findAll('known', 100);
  expect(asked).toHaveLength(100);
});

test('a key is stale also after the clock of the system was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const cache = new HintedCache(options, [['known', { value: 'old', askedAt: Date.now() - 30_000 }]]);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await cache.find('known', caller)).toBe('value of known');
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  [new AppError('unavailable', 'There is no connection to NATS.'), 'There is no connection to NATS.'],
  [new AppError('timeout', 'The outcome is unknown.'), 'The accounts service did not answer in time.'],
])('a key that cannot be asked for is refused as unavailable with what is away: %s', async (failure, reason) => {
  const cache = new HintedCache<string>({ ...options, ask: () => Promise.reject(failure) });
  const refusal = await Promise.resolve(cache.find('known', caller)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: 'unavailable',
    message: `This token cannot be checked now. ${reason}`,
  });
});
