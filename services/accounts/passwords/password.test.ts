import { AppError } from '@yardarm/shared/errors';
import { expect, test } from 'vitest';
import { problemsOfPassword, requireNewPassword, requireStrongPassword } from './password.ts';

const short = 'The password must be at least 10 characters long.';
const long = 'The password must have at most 128 characters.';
const repeated = 'The password may not contain sequences of three or more repeated characters.';
const upper = 'The password must contain at least one uppercase letter.';
const lower = 'The password must contain at least one lowercase letter.';
const number = 'The password must contain at least one number.';
const special = 'The password must contain at least one special character.';

test.each([
  ['Str0ng!passw0rd', []],
  ['Ünïcode-2-Паро', []],
  ['', [short, upper, lower, number, special]],
  ['weak', [short, upper, number, special]],
  ['Ab1!Ab1!A', [short]],
  ['Ab1!Ab1!Ab', []],
  ['STR0NG!PASSW0RD', [lower]],
  ['str0ng!passw0rd', [upper]],
  ['Strong!password', [number]],
  ['Str0ngpassw0rd', [special]],
  ['Strooong!passw0rd', [repeated]],
  // Ten characters of two UTF-16 units each are ten, and five are not.
  ['🏴🚢🏴🚢🏴', [short, upper, lower, number]],
  // One character short of a passphrase, and a passphrase.
  ['one two three four ', [upper, number]],
  ['one two three four f', []],
  ['a'.repeat(20), [repeated]],
  ['ab'.repeat(64), []],
  [`${'ab'.repeat(64)}c`, [long]],
])('the problems of %j are reported', (password, problems) => {
  expect(problemsOfPassword(password)).toEqual(problems);
});

test.each(['captain-1@Tortuga.example', 'CAPTAIN-1@tortuga.EXAMPLE'])(
  '%s is not strong for who is called that',
  (own) => {
    expect(problemsOfPassword('Captain-1@tortuga.example', [null, undefined, own])).toEqual([
      'The password may not be the username or the e-mail address.',
    ]);
  },
);

test('a refusal has the first broken rule as message, all of them in its details, and never the password', () => {
  const refused = (() => {
    try {
      requireStrongPassword('hunter2');
    } catch (error) {
      return error;
    }
  })() as AppError;
  expect(refused).toBeInstanceOf(AppError);
  expect(refused.code).toBe('weak-password');
  expect(refused.message).toBe(short);
  expect(refused.details).toEqual([{ message: short, validationErrors: [short, upper, special] }]);
  expect(JSON.stringify(refused.details)).not.toContain('hunter2');
});

test.each([
  ['new', 'new', 'old', null],
  ['new', 'nwe', 'old', 'The .confirmPassword property'],
  ['same', 'same', 'same', 'The .password property'],
])('%j, repeated as %j, replacing %j: %s', (password, confirmPassword, oldPassword, problem) => {
  const require = () => requireNewPassword({ password, confirmPassword, oldPassword });
  if (problem === null) expect(require).not.toThrow();
  else expect(require).toThrow(problem);
});
