import { expect, test } from 'vitest';
import { type Answer, differencesOf, shapeOf } from './differences.ts';

const answer = (body: unknown, more: Partial<Answer> = {}): Answer => ({ status: 200, headers: {}, body, ...more });
const bodies = (yardarm: unknown, peer: unknown) =>
  differencesOf('GET /x', answer(yardarm), answer(peer)).map(({ at, yardarm: a, peer: b }) => [at, a, b]);

test('two answers with other ids, dates and texts do not differ', () => {
  const ours = { id: 'a', createdAt: '2026-01-01T00:00:00.000Z', tags: [{ value: 'x' }] };
  const theirs = { id: 'b', createdAt: '2027-02-02T01:02:03.004Z', tags: [{ value: 'y' }, { value: 'z' }] };
  expect(bodies(ours, theirs)).toEqual([]);
});

test('a different status is the only difference of two answers', () => {
  const found = differencesOf('GET /x', answer({ a: 1 }), answer({ b: 1 }, { status: 404 }));
  expect(found).toEqual([{ kind: 'status', request: 'GET /x', at: '', yardarm: '200', peer: '404' }]);
});

test.each([
  ['a missing property', { a: 1 }, {}, [['a', 'number', 'absent']]],
  ['another type', { a: 1 }, { a: '1' }, [['a', 'number', 'string']]],
  ['a text that is no date', { at: '2026-01-01T00:00:00Z' }, { at: 'today' }, [['at', 'date', 'string']]],
  ['a property of an item', { list: [{ a: 1 }] }, { list: [{}] }, [['list[].a', 'number', 'absent']]],
  ['an absent object, once', { a: { b: { c: 1 } } }, {}, [['a', 'object', 'absent']]],
  ['an empty body', { a: 1 }, undefined, [['', 'object', 'absent']]],
])('%s is a difference', (_, ours, theirs, expected) => {
  expect(bodies(ours, theirs)).toEqual(expected);
});

test.each([
  ['null and a value', { a: null }, { a: 'text' }],
  ['null and an object', { a: null }, { a: { b: 1 } }],
  ['an empty list and one with items', { a: [] }, { a: [{ b: 1 }] }],
  ['an empty list and one with lists', { a: [] }, { a: [[1]] }],
])('%s are no difference, because the data decides', (_, ours, theirs) => {
  expect(bodies(ours, theirs)).toEqual([]);
  expect(bodies(theirs, ours)).toEqual([]);
});

test('null and a missing property are a difference', () => {
  expect(bodies({ a: null }, {})).toEqual([['a', 'null', 'absent']]);
});

test('headers are compared without ids and hashes', () => {
  const headers = (location: string, etag: string) => answer({}, { headers: { location, etag, date: etag } });
  expect(differencesOf('POST /x', headers('/x/1', '"a"'), headers('/x/22', '"b"'))).toEqual([]);
  expect(differencesOf('POST /x', headers('/x/1', '"a"'), headers('x/1', 'W/"a"'))).toMatchObject([
    { kind: 'headers', at: 'location', yardarm: '/x/<id>', peer: 'x/<id>' },
    { kind: 'headers', at: 'etag', yardarm: '"..."', peer: 'w/"..."' },
  ]);
});

test('the shape of a list has the types of all items', () => {
  expect([...shapeOf({ a: [1, 'x', null] })]).toEqual([
    ['', new Set(['object'])],
    ['a', new Set(['list'])],
    ['a[]', new Set(['number', 'string', 'null'])],
  ]);
});
