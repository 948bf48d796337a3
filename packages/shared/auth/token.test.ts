import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameHash, makeToken, readToken, tokenOfHeader } from './token.ts';

const prefixes = fc.constantFrom('*:*.', '*:development.', 'default:production.', 'user:', 'signal_');

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

test('never throws, and gives a foreign token a selector that does not contain it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
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
