import { expect, test } from 'vitest';
import { missedBetween } from './missed-events.ts';

test.each([
  ['nothing, when ids continue', 4, [5, 6], 1, []],
  ['nothing, when old ones are repeated', 9, [3, 4, 9, 10], 1, []],
  ['what is skipped at the beginning', 4, [7, 8], 1, [{ first: 5, last: 6 }]],
  [
    'what is skipped later',
    4,
    [5, 8, 9, 11],
    1,
    [
      { first: 6, last: 7 },
      { first: 10, last: 10 },
    ],
  ],
  ['only what an integration receives', 0, [1_000], 900, [{ first: 900, last: 999 }]],
  ['nothing, when no integration receives it', 0, [1_000], Number.POSITIVE_INFINITY, []],
])('missed is %s', (_what, lastId, ids, firstNeeded, missed) => {
  expect(missedBetween(lastId, ids, firstNeeded)).toEqual(missed);
});
