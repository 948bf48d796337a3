import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partsOf } from './send-document.ts';

it('divides a text into whole characters', () => {
  expect(partsOf('abc', 2)).toEqual(['ab', 'c']);
  expect(partsOf('a😀b', 2)).toEqual(['a', '😀', 'b']);
  expect(partsOf('', 2)).toEqual([]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 5 }), (text, length) => {
      const parts = partsOf(text, length);
      expect(parts.join('')).toBe(text);
      expect(parts.every((part) => part.isWellFormed() && part.length > 0 && part.length <= length)).toBe(true);
    }),
  );
});
