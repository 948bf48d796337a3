import { expect, test } from 'vitest';
import { segmentFormatOf } from './negotiation.ts';

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
