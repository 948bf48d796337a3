import { describe, expect, it } from 'vitest';
import type { Limits } from '../places/limits/limits.ts';
import { decideGrowth, type FlagPlace } from './growth.ts';

const limits = { projectBytes: 100_000, environmentBytes: 163_840 } as Limits;
const place = (featureName: string, sizes: Partial<FlagPlace> = {}): FlagPlace => ({
  ...{ featureName, environment: 'production', project: 'shop' },
  ...{ flagBytes: 1_000, placeBytes: 90_000, environmentUnits: 6, ...sizes },
});
const decide = (changes: [string, number][], places: FlagPlace[]) =>
  [
    ...decideGrowth(
      changes.map(([featureName, growth]) => ({ featureName, growth })),
      places,
      limits,
    ).values(),
  ].map((decision) => (typeof decision === 'string' ? decision : decision.message));
const projectFull =
  'The flags of the project "shop" in the environment "production" may have at most 100000 bytes. With this change they ' +
  'would have more. Archive or shorten some first.';

describe('the growth of flags in one transaction', () => {
  it('is refused for the change with which the project exceeds its limit, and for no other', () => {
    const places = ['a', 'b', 'c'].map((name) => place(name));
    expect(
      decide(
        [
          ['a', 9_000],
          ['b', 9_000],
          ['c', 1_000],
        ],
        places,
      ),
    ).toEqual(['known', projectFull, 'known']);
  });

  it('finds the room that a change before it has left', () => {
    const places = [place('a', { flagBytes: 9_000 }), place('b')];
    expect(
      decide(
        [
          ['a', -8_000],
          ['b', 18_000],
        ],
        places,
      ),
    ).toEqual(['known', 'known']);
    expect(
      decide(
        [
          ['b', 18_000],
          ['a', -8_000],
        ],
        places,
      ),
    ).toEqual([projectFull, 'known']);
  });

  it('is refused above the limit of the environment, in units', () => {
    const places = [place('a', { placeBytes: 16_000, environmentUnits: 10 })];
    expect(decide([['a', 384]], places)).toEqual(['known']);
    expect(decide([['a', 385]], places)).toEqual([
      expect.stringContaining('the environment "production" may have at most 163840'),
    ]);
  });

  it('is refused in a project above the limit, which may shrink', () => {
    const places = [place('a', { placeBytes: 200_000, environmentUnits: 13 })];
    expect(decide([['a', 1]], places)).toEqual([projectFull]);
    expect(decide([['a', -1]], places)).toEqual(['known']);
  });

  it('is refused in all environments when one has no room', () => {
    const places = [place('a', { environment: 'development', placeBytes: 1_000 }), place('a', { placeBytes: 100_000 })];
    expect(decide([['a', 1]], places)).toEqual([projectFull]);
  });

  it('is measured when the stored size of the flag cannot be right', () => {
    expect(decide([['a', 10]], [place('a', { flagBytes: 0 })])).toEqual(['measured']);
    expect(decide([['a', -10_002]], [place('a', { flagBytes: 10_000 })])).toEqual(['measured']);
  });
});
