import { describe, expect, it } from 'vitest';
import { countPathParts, findScalar, maxPathParts } from './payload-path.ts';

const parse = (text: string): unknown => JSON.parse(text);

describe('findScalar', () => {
  it.each([
    ['a', '{"a":1}', 1],
    ['b.c', '{"b":{"c":"x"}}', 'x'],
    ['b.d[0]', '{"b":{"d":["x","y"]}}', 'x'],
    ['b.d[1].e', '{"b":{"d":[1,{"e":false}]}}', false],
    ['m[1][0]', '{"m":[[1],[2]]}', 2],
    ['a b/c-d', '{"a b/c-d":""}', ''],
    ['n', '{"n":null}', null],
    ['length', '{"length":3}', 3],
    ['constructor', '{"constructor":"Ford"}', 'Ford'],
  ])('%s leads to the scalar of %s', (path, payload, scalar) => {
    expect(findScalar(parse(payload), path)).toBe(scalar);
  });

  it.each([
    ['a', '{}'],
    ['a', '{"a":{}}'],
    ['a', '{"a":[1]}'],
    ['a.b', '{"a":1}'],
    ['a.length', '{"a":"text"}'],
    ['a.length', '{"a":[1]}'],
    ['a[1]', '{"a":[1]}'],
    ['a[0]', '{"a":"text"}'],
    ['a[0]', '{"a":{"0":1}}'],
    ['a.0', '{"a":[1]}'],
    ['a[00]', '{"a":[1]}'],
    ['a[-1]', '{"a":[1]}'],
    ['a[0', '{"a":[1]}'],
    ['a[0]b', '{"a":[{"b":1}]}'],
    ['a[0]', '[{"a":[1]}]'],
    ['[0]', '[1]'],
    ['a.', '{"a":1}'],
  ])('%s leads to nothing in %s', (path, payload) => {
    expect(findScalar(parse(payload), path)).toBeUndefined();
  });

  it.each([null, 'a', 5, true, [], undefined])('finds nothing in %j, which is no object', (payload) => {
    expect(findScalar(payload, 'a')).toBeUndefined();
    expect(findScalar(payload, 'length')).toBeUndefined();
  });

  it.each([
    '__proto__',
    '__proto__.a',
    'constructor.name',
    'toString',
    'a.__proto__.b',
    'a.constructor',
    'hasOwnProperty',
  ])('%s finds nothing that objects inherit', (path) => {
    expect(findScalar({ a: {} }, path)).toBeUndefined();
    expect(findScalar(parse('{"__proto__":{"a":1},"a":{"__proto__":{"b":1}}}'), path)).toBeUndefined();
  });

  it.each([
    ['b.c', '{"b.c":1,"b":{"c":2}}', 2],
    ['b.c', '{"b":{"c":2},"b.c":1}', 1],
    ['b.c', '{"b.c":1,"b":{"c":{"d":2}}}', 1],
    ['b.c', '{"b.c":1,"b":{"c":null}}', null],
    ['a[0]', '{"a":[1],"a[0]":2}', 2],
    ['a[0]', '{"a[0]":2,"a":[1]}', 1],
    ['a.b.c', '{"a":{"b":{"c":1},"b.c":2},"a.b":{"c":3}}', 3],
    ['a.b.c', '{"a.b":{"c":3},"a":{"b.c":2,"b":{"c":1}}}', 1],
    ['a', '{"a":1,"a":2}', 2],
    ['1.a', '{"1.a":1,"1":{"a":2}}', 1],
    ['labels.app.kubernetes.io/name', '{"labels":{"app.kubernetes.io/name":"shop"}}', 'shop'],
  ])('%s is the later of the scalars with this name in %s', (path, payload, scalar) => {
    expect(findScalar(parse(payload), path)).toBe(scalar);
  });

  it('reads a long list at one index', () => {
    const payload = { a: Array.from({ length: 1_000_000 }, (_, index) => index) };
    expect(findScalar(payload, 'a[999999]')).toBe(999_999);
    expect(findScalar(payload, 'a[1000000]')).toBeUndefined();
  });

  it('finds nothing below the most parts', () => {
    const path = Array.from({ length: maxPathParts + 1 }, () => 'a').join('.');
    expect(countPathParts(path)).toBe(maxPathParts + 1);
    expect(findScalar({ [path]: 1 }, path)).toBeUndefined();
    expect(findScalar({ [path.slice(2)]: 1 }, path.slice(2))).toBe(1);
  });

  it('visits each object of a hostile payload at most once', () => {
    // Every key is the beginning of the path, and every way leads to an object without a scalar.
    const path = Array.from({ length: maxPathParts }, () => 'a').join('.');
    let visits = 0;
    const nested = (depth: number): object =>
      new Proxy(depth === 0 ? {} : { a: nested(depth - 1), 'a.a': nested(depth - 1) }, {
        get(target, key, receiver) {
          visits++;
          return Reflect.get(target, key, receiver);
        },
      });
    expect(findScalar(nested(10), path)).toBeUndefined();
    expect(visits).toBeLessThanOrEqual(2 ** 11);
  });
});
