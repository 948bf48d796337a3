import { expect, test } from 'vitest';
import { codingOf } from './content-coding.ts';

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['br, gzip, deflate', 'br'],
  ['GZIP ; Q=1', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['gzip;q=nonsense', 'identity'],
  ['*', 'br'],
  ['*;q=0.1, br;q=0', 'gzip'],
  ['gzip;q=0.5, identity', 'identity'],
  ['deflate, zstd', 'identity'],
])('Accept-Encoding %s gives %s', (header, coding) => {
  expect(codingOf(header)).toBe(coding);
  expect(codingOf(header)).toBe(coding);
});
