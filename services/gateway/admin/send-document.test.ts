import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partsOf } from './send-document.ts';

const divided = (bytes: Buffer, length: number) => [...partsOf(bytes, length)];

it('divides a text into whole characters', () => {
  const texts = (text: string, length: number) => divided(Buffer.from(text), length).map(String);
  expect(texts('abc', 2)).toEqual(['ab', 'c']);
  expect(texts('a😀b', 4)).toEqual(['a', '😀', 'b']);
  expect(texts('', 4)).toEqual([]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 9 }), (text, length) => {
      const parts = divided(Buffer.from(text), length);
      expect(parts.map(String).join('')).toBe(text);
      expect(parts.every((part) => part.length > 0 && part.length <= length)).toBe(true);
    }),
  );
});

it('divides bytes that are no text into parts with all of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), fc.integer({ min: 4, max: 9 }), (sent, length) => {
      const parts = divided(Buffer.from(sent), length);
      expect(Buffer.concat(parts)).toEqual(Buffer.from(sent));
      expect(parts.every((part) => part.length > 0 && part.length <= length)).toBe(true);
    }),
  );
});
