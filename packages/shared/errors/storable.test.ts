import { expect, test } from 'vitest';
import { refuseUnserializable, refuseUnstorable } from './storable.ts';

test('accepts everything that Postgres can store', () => {
  expect(() => refuseUnstorable({ name: 'Grüße 🏴‍☠️', list: ['', 1, null, true], nested: { a: [[]] } })).not.toThrow();
});

test.each([
  ['a NUL', { description: 'a\u0000b' }, '.description'],
  ['a lone surrogate', { tags: [{ value: '\ud83c' }] }, '.tags[0].value'],
  ['a property name that cannot be stored', { parameters: { 'a\u0000': 'x' } }, '.parameters'],
])('refuses %s and names the property', (_title, value, property) => {
  expect(() => refuseUnstorable(value)).toThrow(property);
});

test('masks a secret', () => {
  expect(() => refuseUnstorable({ password: 'hunter2\u0000' })).toThrow(/\*\*\*/);
});

test('refuses a document that is nested too deep to be serialized', () => {
  expect(() => refuseUnstorable(JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`))).toThrow('nested deeper');
});

test('refuses a number that would be serialized as null, wherever it is', () => {
  expect(() => refuseUnserializable(JSON.parse('[{"op":"replace","value":1e400}]'))).toThrow('[0].value property');
  expect(() => refuseUnserializable(JSON.parse('{"value":{"deep":[-1e400]}}'))).toThrow('.value.deep[0] property');
  expect(() => refuseUnserializable(JSON.parse('{"value":1e308,"none":null}'))).not.toThrow();
});
