import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefixedHash } from './murmur.ts';

const require = createRequire(import.meta.url);
const { x86 } = require('murmurhash3js') as { x86: { hash32(text: string, seed: number): number } };

test('hashes like the reference implementation, however the text is divided into prefix and rest', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(0, 1, 86028157),
      (prefix, text, seed) => {
        expect(prefixedHash(prefix, seed)(text)).toBe(x86.hash32(prefix + text, seed));
      },
    ),
    { numRuns: 5000 },
  );
});

test.each([
  ['', 0, 0],
  ['', 1, 0x514e28b7],
  ['test', 0, 0xba6bd213],
  ['Hello, world!', 0, 0xc0363e43],
  ['The quick brown fox jumps over the lazy dog', 0, 0x2e4ff723],
])('the hash of %j with the seed %d is the published one', (text, seed, hash) => {
  expect(prefixedHash('', seed)(text)).toBe(hash);
});
