import { expect, test } from 'vitest';
import { lookOf } from './tail.ts';

test.each<[string, { after: number; upTo?: number }, number, number, { after: number; upTo: number }]>([
  ['goes to the end of the log', { after: 10 }, 0, 30, { after: 10, upTo: 30 }],
  ['goes no further than asked', { after: 10, upTo: 20 }, 0, 30, { after: 10, upTo: 20 }],
  ['goes over fifty thousand ids at once', { after: 10 }, 0, 1_000_000, { after: 10, upTo: 50_010 }],
  ['begins behind what was dropped', { after: 10 }, 19, 30, { after: 19, upTo: 30 }],
  ['finds nothing behind the end', { after: 40 }, 0, 30, { after: 40, upTo: 40 }],
  ['finds nothing in a range that was dropped', { after: 5, upTo: 10 }, 19, 30, { after: 19, upTo: 19 }],
])('a look %s', (_what, asked, dropped, head, look) => {
  expect(lookOf({ limit: 10, ...asked }, dropped, head)).toEqual(look);
});
