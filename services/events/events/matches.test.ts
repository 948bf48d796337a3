import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extended, few, type Matches, pageOf } from './matches.ts';

const idsDown = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index);

describe('matches and those behind them', () => {
  const known: Matches = { firstId: 1, upToId: 10, total: 2, ids: [9, 4] };

  test('are few together: every id is known, the newest first', () => {
    expect(extended(known, 20, { total: 1, ids: [15] })).toEqual({ firstId: 1, upToId: 20, total: 3, ids: [15, 9, 4] });
  });

  test('are as they were when there is nothing new', () => {
    expect(extended(known, 20, { total: 0, ids: [] })).toEqual({ ...known, upToId: 20 });
  });

  test('become many: how many and the newest are known', () => {
    const full: Matches = { firstId: 1, upToId: few, total: few, ids: idsDown(few, few) };
    const one = { total: 1, ids: [few + 5] };
    expect(extended(full, few + 9, one)).toEqual({ firstId: 1, upToId: few + 9, total: few + 1, newestId: few + 5 });
  });

  test('stay many, and keep the newest when nothing is new', () => {
    const many: Matches = { firstId: 1, upToId: 100_000, total: 50_000, newestId: 99_000 };
    const nothing = { total: 0, ids: [] };
    expect(extended(many, 100_001, nothing)).toEqual({ ...many, upToId: 100_001 });
    const more = { total: 30_000, newestId: 150_000 };
    expect(extended(many, 160_000, more)).toEqual({ firstId: 1, upToId: 160_000, total: 80_000, newestId: 150_000 });
    expect(extended(known, 160_000, more)).toEqual({ firstId: 1, upToId: 160_000, total: 30_002, newestId: 150_000 });
  });
});

test('a page is what filtering, leaving out and cutting all ids gives', () => {
  const page = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    skip: fc.integer({ min: 0, max: 5 }),
    startId: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  });
  const someIds = fc.uniqueArray(fc.integer({ min: 1, max: 25 })).map((ids) => ids.sort((a, b) => b - a));
  fc.assert(
    fc.property(someIds, page, (ids, { limit, skip, startId }) => {
      const expected = ids.filter((id) => id <= (startId ?? 100)).filter((_, at) => at >= skip && at < skip + limit);
      expect(pageOf(ids, { limit, skip, startId })).toEqual(expected);
    }),
  );
});
