import { AppError } from '@yardarm/shared/errors';

// The rules that OWASP recommends, in the words of the public product.
const minCharacters = 10;
/** Longer passwords are no stronger. A documented limit is better than silent truncation. OWASP: at least 64. */
const maxCharacters = 128;
/** From this length on, a series of words is stronger than a password that satisfies composition rules. */
const passphraseCharacters = 20;

const alwaysRules: readonly [keeps: (password: string) => boolean, complaint: string][] = [
  [
    (password) => [...password].length >= minCharacters,
    `The password must be at least ${minCharacters} characters long.`,
  ],
  [(password) => [...password].length <= maxCharacters, `The password must have at most ${maxCharacters} characters.`],
  [
    (password) => !/(.)\1{2}/su.test(password),
    'The password may not contain sequences of three or more repeated characters.',
  ],
];

/** Rules that do not apply to passphrases. */
const compositionRules: typeof alwaysRules = [
  [(password) => /\p{Lu}/u.test(password), 'The password must contain at least one uppercase letter.'],
  [(password) => /\p{Ll}/u.test(password), 'The password must contain at least one lowercase letter.'],
  [(password) => /\p{Nd}/u.test(password), 'The password must contain at least one number.'],
  [(password) => /[^\p{L}\p{Nd}]/u.test(password), 'The password must contain at least one special character.'],
];

/** All rules that the password breaks. `ownNames` are the username and the e-mail address of its owner. */
export function problemsOfPassword(password: string, ownNames: readonly (string | null | undefined)[] = []): string[] {
  const isPassphrase = [...password].length >= passphraseCharacters;
  const rules = isPassphrase ? alwaysRules : [...alwaysRules, ...compositionRules];
  const problems = rules.flatMap(([keeps, complaint]) => (keeps(password) ? [] : [complaint]));
  const isOwnName = ownNames.some((name) => name?.toLowerCase() === password.toLowerCase());
  return isOwnName ? [...problems, 'The password may not be the username or the e-mail address.'] : problems;
}

/** Throws `weak-password` with all rules that the password breaks; the message is the first of them. */
export function requireStrongPassword(password: string, ownNames: readonly (string | null | undefined)[] = []): void {
  const problems = problemsOfPassword(password, ownNames);
  const [message] = problems;
  if (message !== undefined) {
    throw new AppError('weak-password', message, { details: [{ message, validationErrors: problems }] });
  }
}

/** Throws `bad-data` unless both entries are equal and differ from the old password. */
export function requireNewPassword(input: { password: string; confirmPassword: string; oldPassword: string }): void {
  if (input.confirmPassword !== input.password) {
    throw new AppError('bad-data', 'The .confirmPassword property should be the same as .password. You sent ***.');
  }
  if (input.oldPassword === input.password) {
    throw new AppError('bad-data', 'The .password property should be another than .oldPassword. You sent ***.');
  }
}
