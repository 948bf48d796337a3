import { expect, test } from 'vitest';
import { codingOf, segmentFormatOf } from './negotiation.ts';

test.each([
  [undefined, 'inlined'],
  ['', 'inlined'],
  ['newest', 'inlined'],
  ['4.1.9', 'inlined'],
  ['4.2.1', 'inlined'],
  ['4.2.2', 'separate'],
  ['4.10.0', 'separate'],
  ['5.2.0', 'separate'],
  ['10.0.0', 'separate'],
])('an SDK of the client specification %s gets its segments %s', (version, format) => {
  expect(segmentFormatOf(version)).toBe(format);
});

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
