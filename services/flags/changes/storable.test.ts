import { describe, expect, it } from 'vitest';
import { refuseUnstorable } from './storable.ts';

describe('refuseUnstorable', () => {
  it('gives back what Postgres keeps', () => {
    const input = { name: 'x', description: 'naïve 🚩', values: ['a', ''], n: 1, nothing: null };
    expect(refuseUnstorable(input)).toBe(input);
  });

  it.each([
    ['a zero character', { description: 'a\u0000b' }, /^The \.description property .*"a\\u0000b"\.$/],
    ['half a surrogate pair', { tags: [{ type: 'simple', value: '\ud800x' }] }, /\.tags\[0\]\.value/],
    ['a key that cannot be kept', { parameters: { 'a\u0000': 'x' } }, /parameters/],
    ['the value of an operation', { operations: [{ value: '\udc00' }] }, /\.operations\[0\]\.value/],
  ])('refuses %s, naming the property', (_, input, message) => {
    expect(() => refuseUnstorable(input)).toThrow(message);
  });
});
