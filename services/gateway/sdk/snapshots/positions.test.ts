import { describe, expect, test } from 'vitest';
import { scopeOf } from '../../testing/snapshots.ts';
import { relateEtags, relateEventId, toPosition } from './positions.ts';

const scope = scopeOf();
const ours = { scope, revision: 10, epoch: '8f14e45f-ceea-467f-9575-5f2a6f0e7a11' };
const at = (revision: number | string, epoch = '8f14e45f') => `${scope.hash}:${revision}:${epoch}`;

test('a position names scope, revision and epoch', () => {
  expect(toPosition(ours)).toBe(at(10));
  expect(scopeOf({ projects: ['b', 'a', 'a'] }).hash).toBe(scopeOf({ projects: ['a', 'b'] }).hash);
  const hashes = [
    ...[scope, scopeOf({ environment: 'production' }), scopeOf({ projects: ['a'] }), scopeOf({ namePrefix: 'a' })],
    ...[scopeOf({ tags: ['a:b'] }), scopeOf({ segmentFormat: 'inlined' })],
  ].map(({ hash }) => hash);
  expect(new Set(hashes).size).toBe(hashes.length);
});

describe('If-None-Match', () => {
  test.each([
    ['the same state', `"${at(10)}"`],
    ['the same state in another coding', `"${at(10)}:gzip"`],
    ['a weak tag', `W/"${at(10)}:br"`],
    ['a list', `"other", ${`"${at(9)}"`},W/"${at(10)}"`],
    ['the star', ' * '],
  ])('of %s is the same', (_title, header) => {
    expect(relateEtags(header, ours)).toEqual({ kind: 'same', revision: 10, position: at(10) });
  });

  test.each([
    ['an earlier state', `"${at(9)}"`, { kind: 'older', revision: 9, position: at(9) }],
    ['the first state', `"${at(0)}"`, { kind: 'older', revision: 0, position: at(0) }],
    ['several earlier states', `"${at(8)}", "${at(3)}", "${at(9)}"`, { kind: 'older', revision: 3, position: at(3) }],
    ['a later state', `"${at(11)}:gzip", "${at(9)}"`, { kind: 'ahead', revision: 11, position: at(11) }],
  ])('of %s is %s', (_title, header, relation) => {
    expect(relateEtags(header, ours)).toEqual(relation);
  });

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['no quotes', at(10)],
    ['another scope', `"00000000:10:8f14e45f"`],
    ['another epoch', `"${at(10, 'c9f0f895')}"`],
    ['no epoch', `"${scope.hash}:10"`],
    ['a further part', `"${at(10)}:zstd"`],
    ['a negative revision', `"${at(-1)}"`],
    ['a fraction', `"${at('9.5')}"`],
    ['a revision with a leading zero', `"${at('010')}"`],
    ['a revision of several zeros', `"${at('00')}"`],
    ['an exponent', `"${at('1e1')}"`],
    ['a revision of a thousand digits', `"${at('9'.repeat(1000))}"`],
    ['ten thousand commas', ','.repeat(10_000)],
    ['ten thousand quotes', '"'.repeat(10_000)],
  ])('of %s is unknown', (_title, header) => {
    expect(relateEtags(header, ours)).toEqual({ kind: 'unknown' });
  });
});

test.each([
  [at(10), { kind: 'same', revision: 10, position: at(10) }],
  [at(9), { kind: 'older', revision: 9, position: at(9) }],
  [at(11), { kind: 'ahead', revision: 11, position: at(11) }],
  [`"${at(10)}"`, { kind: 'unknown' }],
  [at('09'), { kind: 'unknown' }],
  [undefined, { kind: 'unknown' }],
  ['*', { kind: 'unknown' }],
])('Last-Event-ID %s', (header, relation) => {
  expect(relateEventId(header, ours)).toEqual(relation);
});
