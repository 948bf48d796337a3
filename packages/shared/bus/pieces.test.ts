import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pieceLimits, splitIntoPieces } from './pieces.ts';

describe('inPieces', () => {
  it('keeps every item in order, within the limits unless one item is larger', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60 })), fc.integer({ min: 1, max: 100 }), (items, bytes) => {
        const pieces = splitIntoPieces(items, { bytes, items: 7 });
        expect(pieces.flat()).toEqual(items);
        for (const piece of pieces) {
          expect(piece.length).toBeGreaterThan(0);
          expect(piece.length).toBeLessThanOrEqual(7);
          const size = piece.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)) + 1, 0);
          if (piece.length > 1) expect(size).toBeLessThanOrEqual(bytes);
        }
      }),
    );
  });

  it('counts bytes, not characters', () => {
    expect(splitIntoPieces(['ü'.repeat(10), 'x'], { bytes: 20, items: 7 })).toHaveLength(2);
  });

  it('makes pieces that fit a message of 1 MB', () => {
    expect(pieceLimits.bytes).toBeLessThan(500_000);
  });
});

it.each([
  [[], 3, []],
  [['a', 'b', 'c', 'd'], 3, [['a', 'b', 'c'], ['d']]],
  [['aaa', 'b'], 3, [['aaa'], ['b']]],
  [['a', 'toolong', 'b', 'c'], 3, [['a'], ['toolong'], ['b', 'c']]],
  [['toolong'], 3, [['toolong']]],
  [['aaa', 'bbb', 'cccc', 'd', 'eeeeeeeeee', 'f'], 10, [['aaa', 'bbb', 'cccc'], ['d'], ['eeeeeeeeee'], ['f']]],
])('divides %j by %i bytes, with the size function of the caller, into %j', (items, bytes, expected) => {
  expect(splitIntoPieces(items, { ...pieceLimits, bytes }, (item) => item.length)).toEqual(expected);
});
