import { expect, test } from 'vitest';
import { printable, printableJson } from './printable.ts';

test('control characters and changes of direction are escaped, and other characters stay', () => {
  expect(printable('a\u001b[31m\u007f\u009b\u202eb')).toBe('a\\u001b[31m\\u007f\\u009b\\u202eb');
  expect(printable('Zürich 東京 👍')).toBe('Zürich 東京 👍');
});

test('JSON stays the same JSON', () => {
  const value = { 'name\u009b': ['a\n\u001b\u007f', '\u202e'] };
  for (const indent of [undefined, 2]) {
    const text = printableJson(value, indent);
    expect(text).not.toMatch(/\p{Cc}(?<!\n)|\u202e/u);
    expect(JSON.parse(text)).toEqual(value);
  }
  expect(printableJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
});
