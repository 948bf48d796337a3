import { expect, test } from 'vitest';
import { isStorableText } from './read-body.ts';

test.each([
  ['plain', true],
  ['Grüße 🏴‍☠️', true],
  ['', true],
  ['a\u0000b', false],
  ['\ud83c', false],
])('text %j can be stored: %s', (text, expected) => {
  expect(isStorableText(text)).toBe(expected);
});
