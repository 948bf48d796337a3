import { expect, it } from 'vitest';
import { inPieces } from './pieces.ts';

const sizes = (...list: number[]) => list.map((size) => ({ size }));
const split = (list: number[], limit: number) =>
  inPieces(sizes(...list), limit).map((piece) => piece.map(({ size }) => size));

it('fills pieces up to the limit, in order', () => {
  expect(split([3, 3, 4, 1, 10, 1], 10)).toEqual([[3, 3, 4], [1], [10], [1]]);
});

it('sends one that is too large alone', () => {
  expect(split([1, 50, 1], 10)).toEqual([[1], [50], [1]]);
});

it('makes nothing of nothing', () => {
  expect(split([], 10)).toEqual([]);
});
