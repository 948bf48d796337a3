import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameHash, makeToken, readToken, redactToken, selectorsNamed, tokenOfHeader } from './token.ts';

const prefixes = fc.constantFrom('*:*.', '*:development.', 'default:production.', 'user:', 'signal_');

// Lone surrogates and controls too. fast-check's own unit `binary` takes seconds to make on a busy machine.
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

test('refuses one of our tokens when any letter of it is changed', () => {
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

test('takes no other text for a token that we made, whichever letter is another, is missing or is added', () => {
  const change = fc.record({ at: fc.nat(), taken: fc.constantFrom(0, 1), put: fc.option(tokenLetter, { nil: '' }) });
  fc.assert(
    fc.property(prefixes, change, (prefix, { at, taken, put }) => {
      const made = makeToken(prefix);
      const index = at % made.token.length;
      const changed = made.token.slice(0, index) + put + made.token.slice(index + taken);
      fc.pre(changed !== made.token);
      const read = readToken(changed);
      expect(read !== null && isSameHash(read.hash, made.hash)).toBe(false);
    }),
  );
});

test('never finds a token of ours by a text that we did not make', () => {
  const { token, selector } = makeToken('*:*.');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'yd_*:.', ...selector, '0', 'z'), maxLength: 120 }), (text) => {
      const read = readToken(text);
      // Those of ours have 22 letters and none of what we did not make has: only a checksum lets a text be one of ours.
      if (read) expect(read.selector).toMatch(/^x[\w-]{22}$/);
      expect(read?.hash).not.toBe(readToken(token)?.hash);
    }),
  );
});

test('reads any text as a header and as the name of a token without throwing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      tokenOfHeader(text);
      for (const selector of selectorsNamed(text)) expect(selector).toMatch(/^[\w-]{22,23}$/);
    }),
  );
});

test.each([
  ['one of ours', makeToken('default:development.').token, 'default:development.'],
  ['one of another make', '*:*.a-known-admin-secret-of-some-length', '*:*.'],
])('shows %s without its secret, and knows it by what is shown and by the whole', (_title, token, prefix) => {
  const { selector } = readToken(token)!;
  const shown = redactToken(prefix, selector);
  expect(shown.startsWith(prefix)).toBe(true);
  expect(selectorsNamed(shown)).toContain(selector);
  expect(selectorsNamed(token)[0]).toBe(selector);
  expect(shown).not.toContain(token.slice(-20));
  // What is shown opens nothing.
  expect(readToken(shown)?.selector).not.toBe(selector);
});

test('never throws, and gives a foreign token a selector that does not contain it', () => {
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

test('takes the token of a header with and without Bearer', () => {
  expect(tokenOfHeader('Bearer user:abc')).toBe('user:abc');
  expect(tokenOfHeader('bearer   user:abc ')).toBe('user:abc');
  expect(tokenOfHeader('user:abc')).toBe('user:abc');
  expect(tokenOfHeader('Bearer ')).toBeNull();
  expect(tokenOfHeader(undefined)).toBeNull();
});

test('tells equal hashes from others of any length', () => {
  expect(isSameHash('abc', 'abc')).toBe(true);
  expect(isSameHash('abc', 'abd')).toBe(false);
  expect(isSameHash('abc', 'abcd')).toBe(false);
});
