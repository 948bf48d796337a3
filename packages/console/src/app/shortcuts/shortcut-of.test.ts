import { expect, test } from 'vitest';
import { shortcutOf } from './shortcut-of.ts';

const key = (name: string, over: object = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...over,
});

test('Ctrl-K searches, also when single keys are off', () => {
  expect(shortcutOf(key('k', { ctrlKey: true }), '', false)).toEqual({ kind: 'search' });
  expect(shortcutOf(key('K', { metaKey: true }), '', true)).toEqual({ kind: 'search' });
});

test('a key after g leads to a page', () => {
  expect(shortcutOf(key('f'), 'g', true)).toEqual({ kind: 'go', to: '/features' });
  expect(shortcutOf(key('z'), 'g', true)).toBeNull();
  expect(shortcutOf(key('f'), '', true)).toBeNull();
});

test('single keys do nothing when they are off or with another key', () => {
  expect(shortcutOf(key('j'), '', true)).toEqual({ kind: 'step', by: 1 });
  expect(shortcutOf(key('j'), '', false)).toBeNull();
  expect(shortcutOf(key('j', { altKey: true }), '', true)).toBeNull();
});
