import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsePayload } from './payload.ts';

it.each([
  [
    '{"a":9007199254740993,"b":[-9007199254740993,1E+20]}',
    { a: '9007199254740993', b: ['-9007199254740993', '1E+20'] },
  ],
  ['{"max":9007199254740991,"min":-9007199254740991}', { max: 9_007_199_254_740_991, min: -9_007_199_254_740_991 }],
  ['[1e400,-1e400,1e-400,0.5,1.10]', ['1e400', '-1e400', 0, 0.5, 1.1]],
  ['"9007199254740993"', '9007199254740993'],
  [
    '{"9007199254740993":"\\"9007199254740993\\\\","\\\\":9007199254740993}',
    {
      '9007199254740993': '"9007199254740993\\',
      '\\': '9007199254740993',
    },
  ],
  ['9007199254740993', '9007199254740993'],
  ['null', null],
])('%s', (text, payload) => {
  expect(parsePayload(text)).toEqual(payload);
});

it('is what JSON.parse returns, without numbers above 2^53', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const parsed: unknown = JSON.parse(text);
      const isExact = !/\d{16}|e\+/i.test(text);
      if (isExact) expect(parsePayload(text)).toEqual(parsed);
    }),
  );
});

it('reads what is nested deeper than the stack', () => {
  const depth = 50_000;
  let value = parsePayload(`${'['.repeat(depth)}9007199254740993${']'.repeat(depth)}`);
  for (let level = 0; level < depth; level += 1) [value] = value as unknown[];
  expect(value).toBe('9007199254740993');
});
