import { beforeEach, expect, test } from 'vitest';
import { FirstLoad } from './first-load.ts';

let now: number;
let loaded: Set<string>;

beforeEach(() => {
  now = 0;
  loaded = new Set();
});

const firstLoad = (ofTokens: string[] = [], holdsFlags = true) =>
  new FirstLoad({
    ...{ holdsFlags, ofTokens, maxWaitMs: 1_000 },
    isThere: (environment) => loaded.has(environment),
    clock: () => now,
  });
const degraded = (text: string) => ({ degraded: expect.stringContaining(text) });

test('an environment that is missing keeps the gateway out until the wait is over, and not longer', () => {
  const load = firstLoad();
  load.answered(['development', 'production']);
  loaded.add('development');
  now = 999;
  expect(load.health()).toMatch('not loaded yet: production: flags has not sent every environment yet');
  now = 1_000;
  expect(load.health()).toEqual(degraded('not loaded yet: production'));
  expect(load.missing()).toEqual(['production']);
  loaded.add('production');
  load.succeeded();
  expect(load.health()).toBeNull();
  expect(load.missing()).toEqual([]);
});

test('a gateway without any environment is out however long it waits', () => {
  const load = firstLoad();
  now = 1_000_000;
  expect(load.health()).toBe('no environment is loaded yet: flags has not answered yet');
  load.answered(['development']);
  expect(load.health()).toMatch('not loaded yet: development');
});

test('an environment that no token of the copy reads keeps the gateway out at no time', () => {
  loaded.add('development');
  const load = firstLoad(['development']);
  expect(load.health()).toEqual(degraded('SDKs get the copy until flags answers: flags has not answered yet'));
  load.answered(['development', 'production']);
  expect(load.health()).toEqual(degraded('not loaded yet: production'));
});

test('once all were loaded, a new environment does not keep the gateway out', () => {
  loaded.add('development');
  const load = firstLoad();
  load.answered(['development']);
  load.succeeded();
  expect(load.health()).toBeNull();
  load.answered(['development', 'new']);
  expect(load.health()).toEqual({ degraded: 'not loaded yet: new' });
});

test('flags that does not answer is named, and is no problem of an environment that is loaded', () => {
  loaded.add('development');
  const load = firstLoad();
  load.answered(['development', 'production']);
  expect(load.problem('production')).toBe('flags has not sent every environment yet');
  load.succeeded();
  load.failed('no connection');
  expect(load.problem('development')).toBeNull();
  expect(load.problem('production')).toBe('no connection');
  expect(load.problem('deleted')).toBeNull();
  loaded.add('production');
  expect(load.health()).toEqual({ degraded: 'flags does not answer: no connection' });
});

test('a gateway that holds no flags misses none', () => {
  const load = firstLoad([], false);
  load.answered(['development']);
  load.succeeded();
  expect(load.health()).toBeNull();
  expect(load.missing()).toEqual([]);
  load.failed('no connection');
  expect(load.health()).toEqual({ degraded: 'flags does not answer: no connection' });
});

test('an environment that SDKs ask for is loaded first, then those of tokens in the copy', () => {
  const load = firstLoad(['production']);
  load.answered(['development', 'production', 'staging']);
  const missing = new Set(['development', 'production', 'staging']);
  expect(load.next(missing)).toBe('production');
  load.problem('staging');
  expect(load.next(missing)).toBe('staging');
  missing.delete('staging');
  expect(load.next(missing)).toBe('production');
  missing.delete('production');
  expect(load.next(missing)).toBe('development');
  expect(load.next(new Set())).toBeUndefined();
});
