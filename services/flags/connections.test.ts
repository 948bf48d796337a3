import { expect, test } from 'vitest';
import { connectionShares } from './connections.ts';

test.each([
  [1, 1, 1],
  [2, 1, 1],
  [4, 1, 1],
  [5, 2, 1],
  [10, 4, 4],
  [200, 80, 118],
])('of %i connections changes may occupy %i and long reads %i', (max, changes, longReads) => {
  expect(connectionShares(max)).toEqual({ changes, longReads });
});

test('of four connections or more, one is left beside a group', () => {
  for (let max = 4; max <= 200; max += 1) {
    const { changes, longReads } = connectionShares(max);
    expect(changes + longReads + 1).toBeLessThan(max);
  }
});
