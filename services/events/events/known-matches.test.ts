import { expect, test } from 'vitest';
import { createKnownMatches } from './known-matches.ts';

const withIds = (count: number) => ({ firstId: 1, upToId: count, total: count, ids: new Array<number>(count).fill(1) });

test('a search has the matches that were set last', () => {
  const known = createKnownMatches();
  known.set('a', withIds(1));
  known.set('a', withIds(2));
  expect(known.get('a')).toEqual(withIds(2));
  expect(known.get('b')).toBe(undefined);
});

test('beyond a million ids or a thousand searches the least recently used ones are removed', () => {
  const known = createKnownMatches();
  for (const key of ['a', 'b']) known.set(key, withIds(400_000));
  known.get('a');
  known.set('c', withIds(400_000));
  expect(['a', 'b', 'c'].filter((key) => known.get(key) !== undefined)).toEqual(['a', 'c']);
  for (let n = 0; n < 1_000; n++) known.set(String(n), withIds(0));
  expect([known.get('a'), known.get('c'), known.get('0'), known.get('999')]).toEqual([
    undefined,
    undefined,
    withIds(0),
    withIds(0),
  ]);
});
