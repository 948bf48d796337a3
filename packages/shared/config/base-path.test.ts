import { expect, test } from 'vitest';
import { atBasePath, basePath } from './base-path.ts';

test.each([
  ['', ''],
  ['/', ''],
  ['/flags', '/flags'],
  ['flags/', '/flags'],
  ['//our/flags.v2//', '/our/flags.v2'],
])('the base path %j is %j', (text, expected) => {
  expect(basePath.parse(text)).toBe(expected);
});

test.each(['/a//b', '/a b', '/a?b', '/../a', '/a/.', 'https://a', '/ä'])('the base path %j is refused', (text) => {
  expect(basePath.safeParse(text).error?.issues[0]?.message).toMatch(/^should be a path such as \/flags/);
});

test.each([
  ['https://a.example', '', 'https://a.example'],
  ['https://a.example', '/flags', 'https://a.example/flags'],
  ['https://a.example/flags', '/flags', 'https://a.example/flags'],
  ['https://a.example/flags', '', 'https://a.example/flags'],
])('%s at %j is %s', (url, path, expected) => {
  expect(atBasePath(url, path)).toBe(expected);
});

test('an address with another path is refused, naming both', () => {
  expect(() => atBasePath('https://a.example/x', '/flags')).toThrow(
    'UNLEASH_URL has the path /x, and BASE_URI_PATH is /flags',
  );
});
