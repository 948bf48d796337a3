import { expect, test } from 'vitest';
import { isolated } from './direction.ts';

test('a text that turns the direction is isolated without its marks, and another one stays', () => {
  expect(isolated('a plain name')).toBe('a plain name');
  expect(isolated('שלום')).toBe('\u2068שלום\u2069');
  expect(isolated('\u2069\u202Efdp.exe')).toBe('\u2068fdp.exe\u2069');
});
