import { expect, test } from 'vitest';
import { problemsOfPassword } from '../passwords/password.ts';
import { generatePassword } from './report-password.ts';

test('a generated password passes the password rules and differs each time', () => {
  const generated = Array.from({ length: 2_000 }, generatePassword);
  for (const password of generated) expect(problemsOfPassword(password)).toEqual([]);
  expect(new Set(generated).size).toBe(generated.length);
});
