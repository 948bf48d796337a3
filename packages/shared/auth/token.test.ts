import { heapGrowthOf } from '@yardarm/testing/garbage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameHash, makeToken, possibleSelectors, readToken, redactToken, tokenOfHeader } from './token.ts';

const prefixes = fc.constantFrom('*:*.', '*:development.', 'default:production.', 'user:', 'signal_');

// With lone surrogates and control characters. fast-check's own unit `binary` takes seconds on a busy machine.
const anyLetter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
const tokenLetter = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const anyText = fc.oneof(
  fc.string({ unit: anyLetter, maxLength: 600 }),
  fc.string({ unit: tokenLetter, maxLength: 600 }),
);

test('reads back the selector and hash of every token that it makes', () => {
  fc.assert(
    fc.property(prefixes, (prefix) => {
      const made = makeToken(prefix);
      expect(made.token.startsWith(prefix)).toBe(true);
      expect(readToken(made.token)).toEqual({ selector: made.selector, hash: made.hash });
    }),
  );
});

test('a selector that is kept keeps nothing of the header in memory', async () => {
  const kept: string[] = [];
  const growth = await heapGrowthOf(() => {
    for (let n = 0; n < 100; n += 1) {
      // Header values are made of bytes.
      const header = Buffer.from(`Bearer${' '.repeat(100_000)}${makeToken('user:').token}`).toString('latin1');
      kept.push(readToken(tokenOfHeader(header)!)!.selector);
    }
  });
  expect(kept).toHaveLength(100);
  expect(growth).toBeLessThan(5_000_000);
});

test('refuses a token with a changed letter in its tail', () => {
  fc.assert(
    fc.property(prefixes, fc.nat(), fc.constantFrom('a', 'B', '7'), (prefix, at, letter) => {
      const { token } = makeToken(prefix);
      const tail = token.length - prefix.length - 'yd_'.length;
      const index = token.length - 1 - (at % tail);
      fc.pre(token[index] !== letter && token[index] !== '_');
      expect(readToken(token.slice(0, index) + letter + token.slice(index + 1))).toBeNull();
    }),
  );
});

test('a token with a changed, removed or added letter has another hash or is refused', () => {
  const change = fc.record({
    at: fc.nat(),
    removed: fc.constantFrom(0, 1),
    inserted: fc.option(tokenLetter, { nil: '' }),
  });
  fc.assert(
    fc.property(prefixes, change, (prefix, { at, removed, inserted }) => {
      const made = makeToken(prefix);
      const index = at % made.token.length;
      const changed = made.token.slice(0, index) + inserted + made.token.slice(index + removed);
      fc.pre(changed !== made.token);
      const read = readToken(changed);
      expect(read !== null && isSameHash(read.hash, made.hash)).toBe(false);
    }),
  );
});

test('no other text has the selector of a token that we made', () => {
  const { token, selector } = makeToken('*:*.');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'yd_*:.', ...selector, '0', 'z'), maxLength: 120 }), (text) => {
      const read = readToken(text);
      // Own selectors have 22 letters, derived ones 23. No text without a valid checksum has an own selector.
      if (read) expect(read.selector).toMatch(/^x[\w-]{22}$/);
      expect(read?.hash).not.toBe(readToken(token)?.hash);
    }),
  );
});

test('any text as a header or as the name of a token throws no error', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      tokenOfHeader(text);
      for (const selector of possibleSelectors(text)) expect(selector).toMatch(/^[\w-]{22,23}$/);
    }),
  );
});

test.each([
  ['one of our own', makeToken('default:development.').token, 'default:development.'],
  ['one of another make', '*:*.a-known-admin-secret-of-some-length', '*:*.'],
])('shows %s without its secret, and finds it by the redacted and the whole form', (_title, token, prefix) => {
  const { selector } = readToken(token)!;
  const redacted = redactToken(prefix, selector);
  expect(redacted.startsWith(prefix)).toBe(true);
  expect(possibleSelectors(redacted)).toContain(selector);
  expect(possibleSelectors(token)[0]).toBe(selector);
  expect(redacted).not.toContain(token.slice(-20));
  // The redacted form is not valid as a token.
  expect(readToken(redacted)?.selector).not.toBe(selector);
});

test('never throws, and the selector of a token of another make does not contain it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const read = readToken(text);
      if (read && text.length > 30) expect(read.selector.includes(text)).toBe(false);
    }),
  );
  expect(readToken('*:*.unleash-insecure-admin-api-token')).not.toBeNull();
  expect(readToken('')).toBeNull();
  expect(readToken('x'.repeat(501))).toBeNull();
});

test('reads the token of a header with and without Bearer', () => {
  expect(tokenOfHeader('Bearer user:abc')).toBe('user:abc');
  expect(tokenOfHeader('bearer   user:abc ')).toBe('user:abc');
  expect(tokenOfHeader('user:abc')).toBe('user:abc');
  expect(tokenOfHeader('Bearer ')).toBeNull();
  expect(tokenOfHeader(undefined)).toBeNull();
});

test('compares hashes of any length', () => {
  expect(isSameHash('abc', 'abc')).toBe(true);
  expect(isSameHash('abc', 'abd')).toBe(false);
  expect(isSameHash('abc', 'abcd')).toBe(false);
});
