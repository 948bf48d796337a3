import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalForm } from './canonical-form.ts';

const formOf = (json: string) => canonicalForm(JSON.parse(json));

// RFC 8785: 3.2.2 and 3.2.3 (the sample), 3.2.3 (sorting), appendix B (numbers).
test.each([
  [
    'the sample of the RFC',
    String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    'keys in the order of their UTF-16 code units',
    String.raw`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
  ],
  ['minus zero', '-0', '0'],
  ['a number written with a fraction of zero', '1.0', '1'],
  ['the largest number', '1.7976931348623157e308', '1.7976931348623157e+308'],
  ['the smallest number', '5e-324', '5e-324'],
  ['an integer beyond 2^53', '295147905179352830000', '295147905179352830000'],
  ['a number beyond the range of a double, which JSON writes as null', '1e400', 'null'],
  ['half a surrogate pair', String.raw`"a\ud83d"`, String.raw`"a\ud83d"`],
  ['keys that every object inherits', '{"__proto__":1,"constructor":2}', '{"__proto__":1,"constructor":2}'],
  ['an empty array and object', '[[],{}]', '[[],{}]'],
])('%s', (_what, json, form) => {
  expect(formOf(json)).toBe(form);
});

test('a value that was stored as JSON text keeps its canonical form', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }), (value) => {
      expect(canonicalForm(JSON.parse(JSON.stringify(value)))).toBe(canonicalForm(value));
    }),
    { numRuns: 30 },
  );
});

test('a value that is nested too deep has no form', () => {
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  expect(canonicalForm(nested(1_000))).toHaveLength(2_000);
  expect(() => canonicalForm(nested(1_001))).toThrow(RangeError);
});
