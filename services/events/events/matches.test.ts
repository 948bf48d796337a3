import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extendMatches, type Matches, maxListedIds, pageOf } from './matches.ts';

const idsDown = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index);

describe('matches extended by newer ones', () => {
  const known: Matches = { firstId: 1, upToId: 10, total: 2, ids: [9, 4] };

  test('are listed up to the limit, newest first', () => {
    expect(extendMatches(known, 20, { total: 1, ids: [15] })).toEqual({
      firstId: 1,
      upToId: 20,
      total: 3,
      ids: [15, 9, 4],
    });
  });

  test('stay the same without new ones', () => {
    expect(extendMatches(known, 20, { total: 0, ids: [] })).toEqual({ ...known, upToId: 20 });
  });

  test('above the limit keep the total and the newest id', () => {
    const full: Matches = {
      firstId: 1,
      upToId: maxListedIds,
      total: maxListedIds,
      ids: idsDown(maxListedIds, maxListedIds),
    };
    const one = { total: 1, ids: [maxListedIds + 5] };
    expect(extendMatches(full, maxListedIds + 9, one)).toEqual({
      firstId: 1,
      upToId: maxListedIds + 9,
      total: maxListedIds + 1,
      newestId: maxListedIds + 5,
    });
  });

  test('without ids stay without ids, and keep the newest id without new ones', () => {
    const many: Matches = { firstId: 1, upToId: 100_000, total: 50_000, newestId: 99_000 };
    const nothing = { total: 0, ids: [] };
    expect(extendMatches(many, 100_001, nothing)).toEqual({ ...many, upToId: 100_001 });
    const more = { total: 30_000, newestId: 150_000 };
    expect(extendMatches(many, 160_000, more)).toEqual({
      firstId: 1,
      upToId: 160_000,
      total: 80_000,
      newestId: 150_000,
    });
    expect(extendMatches(known, 160_000, more)).toEqual({
      firstId: 1,
      upToId: 160_000,
      total: 30_002,
      newestId: 150_000,
    });
  });
});

test('a page equals all ids filtered, skipped and limited', () => {
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
