import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namesUnder, subjectToken, tokenText } from './subjects.ts';

const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff })))
  .map((units) => String.fromCharCode(...units));

test('any text becomes one token of a subject and is decoded unchanged', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const token = subjectToken(text);
      expect(token).toMatch(/^[A-Za-z0-9_=-]+$/);
      expect(tokenText(token)).toBe(text);
    }),
  );
});

test('two texts never have the same token', () => {
  fc.assert(
    fc.property(anyText, anyText, (left, right) => {
      fc.pre(left !== right);
      expect(subjectToken(left)).not.toBe(subjectToken(right));
    }),
  );
});

test('letters, digits, - and _ stay as they are', () => {
  expect(subjectToken('feature-created_2')).toBe('feature-created_2');
  expect(subjectToken('my.flag')).toBe('my=002eflag');
  expect(subjectToken('')).toBe('=');
});

test('the prefix is added to every subject and name, and removed again', () => {
  const names = namesUnder('t1');
  expect(names.subject('evt.flags.feature-created')).toBe('t1.evt.flags.feature-created');
  expect(names.plainSubject('t1.evt.flags.feature-created')).toBe('evt.flags.feature-created');
  expect(names.name('EVENTS')).toBe('t1_EVENTS');
  expect(namesUnder('').name('EVENTS')).toBe('EVENTS');
});

test.each(['a.b', 'a b', '*', '>', 'a_b', 'ä'])('the prefix %j is refused', (prefix) => {
  expect(() => namesUnder(prefix)).toThrow(`"${prefix}"`);
});
