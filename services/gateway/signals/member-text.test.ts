import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberText } from './member-text.ts';

it.each([
  ['{"a":1}', '1'],
  ['{"b":{"a":2},"a":1.0}', '1.0'],
  ['{ "a" : { "b" : [ 1 , 2 ] } , "c" : 3 }', '{ "b" : [ 1 , 2 ] }'],
  ['{"b":"a","a":"b"}', '"b"'],
  ['{"a":1,"a":2}', '2'],
  ['{"\\u0061":1e400}', '1e400'],
  ['{"b":":,}\\"a","a":"\\u0000,}"}', '"\\u0000,}"'],
  ['{"b":["a",{"a":1}],"a":[]}', '[]'],
])('the member of %s', (object, text) => {
  expect(memberText(object, 'a')).toBe(text);
});

it.each(['{}', '{"b":{"a":1}}', '["a"]', '{"b":"a"}', '"a"', 'null'])('%s has no such member', (object) => {
  expect(memberText(object, 'a')).toBeUndefined();
});

it('is the text of each member of any object', () => {
  fc.assert(
    fc.property(fc.object(), fc.constantFrom(0, 2), (object, spaces) => {
      const text = JSON.stringify(object, null, spaces);
      for (const [name, value] of Object.entries(JSON.parse(text))) {
        expect(JSON.parse(memberText(text, name) ?? '')).toEqual(value);
      }
    }),
  );
});
