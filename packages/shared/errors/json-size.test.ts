import { describe, expect, test } from 'vitest';
import { hasAtMost, jsonSizeOf, requireJsonSize } from './json-size.ts';

const sizeOf = (text: string | Buffer) => {
  const { values, properties } = jsonSizeOf(Buffer.from(text as string), 100);
  return [values, properties];
};

test.each([
  ['', 1, 0],
  ['0', 1, 0],
  ['-1.5e+10', 1, 0],
  ['[]', 2, 0],
  ['[1,2,3]', 4, 0],
  ['{"a":1,"b":[true,null]}', 5, 2],
  ['["a,b","[{:","]"]', 4, 0],
  ['{"a:b":"c:d"}', 2, 1],
  [String.raw`["\"",",\\","\\\",[{"]`, 4, 0],
  [String.raw`["\u0022",","]`, 3, 0],
  ['["🏴‍☠️,",":ü"]', 3, 0],
  [' [ 1 , 2 ]\n', 3, 0],
  [String.raw`{"a\\":["x\",","\u0041","é:"],"b":{"c":[1,2]}}`, 9, 3],
])('%s has %i values and %i properties', (text, values, properties) => {
  expect(sizeOf(text)).toEqual([values, properties]);
});

test('what is no JSON or broken UTF-8 is counted and not refused', () => {
  expect(sizeOf('"no end,,,')).toEqual([1, 0]);
  expect(sizeOf('"no end\\')).toEqual([1, 0]);
  expect(sizeOf(']]}}[')).toEqual([2, 0]);
  // Each first byte announces characters that are missing. The decoder ends them at the quote, as the scan does.
  const broken = Buffer.from([0x5b, 0x22, 0xf0, 0x22, 0x2c, 0x22, 0xe2, 0x82, 0x22, 0x2c, 0xff, 0x5d]);
  expect(sizeOf(broken)).toEqual([4, 0]);
  expect(new TextDecoder().decode(broken)).toBe('["\ufffd","\ufffd",\ufffd]');
});

describe('a body', () => {
  const bounds = { values: 4, properties: 2, levels: 3 };
  const require = (text: string) => () => requireJsonSize(Buffer.from(text), bounds);

  test.each(['[1,2,3]', '{"a":1,"b":2}', '[[[1]]]', '[[[]]'])('%s is at a bound', (text) => {
    expect(require(text)).not.toThrow();
  });

  test.each([
    ['[1,2,3,4]', 'The request body should have at most 4 values. You sent 5.'],
    ['{"a":1,"b":2,"c":3}', 'The request body should have at most 2 properties. You sent 3.'],
    ['[[[[1]]]]', 'The request is nested deeper than 3 levels.'],
    [`${'{"a":'.repeat(4)}`, 'The request is nested deeper than 3 levels.'],
  ])('%s is beyond one, which the error names', (text, message) => {
    expect(require(text)).toThrow(message);
  });
});

test('at most so many values are within a value, which counts too', () => {
  const value = { a: [1, { b: null }] };
  expect(hasAtMost(5, value)).toBe(true);
  expect(hasAtMost(4, value)).toBe(false);
});
