import { expect, test } from 'vitest';
import { refuseUnstorable } from './storable.ts';

test('lets everything through that Postgres keeps', () => {
  expect(() => refuseUnstorable({ name: 'Grüße 🏴‍☠️', list: ['', 1, null, true], nested: { a: [[]] } })).not.toThrow();
});

test.each([
  ['a NUL', { description: 'a\u0000b' }, '.description'],
  ['half a surrogate pair', { tags: [{ value: '\ud83c' }] }, '.tags[0].value'],
  ['a property name that cannot be kept', { parameters: { 'a\u0000': 'x' } }, '.parameters'],
])('refuses %s and names the property', (_title, value, property) => {
  expect(() => refuseUnstorable(value)).toThrow(property);
});

test('does not repeat a secret', () => {
  expect(() => refuseUnstorable({ password: 'hunter2\u0000' })).toThrow(/\*\*\*/);
});

test('refuses what is nested deeper than can be written out again', () => {
  expect(() => refuseUnstorable(JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`))).toThrow('nested deeper');
});
