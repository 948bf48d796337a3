import { expect, test } from 'vitest';
import { rangeToRead } from './tail.ts';

test.each<[string, { after: number; upTo?: number }, number, number, { after: number; upTo: number }]>([
  ['ends with the log', { after: 10 }, 0, 30, { after: 10, upTo: 30 }],
  ['ends where the query ends', { after: 10, upTo: 20 }, 0, 30, { after: 10, upTo: 20 }],
  ['has at most fifty thousand ids', { after: 10 }, 0, 1_000_000, { after: 10, upTo: 50_010 }],
  ['begins after the dropped events', { after: 10 }, 19, 30, { after: 19, upTo: 30 }],
  ['is empty after the end of the log', { after: 40 }, 0, 30, { after: 40, upTo: 40 }],
  ['is empty when its events were dropped', { after: 5, upTo: 10 }, 19, 30, { after: 19, upTo: 19 }],
])('the range to read %s', (_what, query, dropped, head, range) => {
  expect(rangeToRead({ limit: 10, ...query }, dropped, head)).toEqual(range);
});
