import { AppError } from '@yardarm/shared/errors';

// What OWASP asks of passwords, in the public product's words.
const minCharacters = 10;
/** Longer ones are no stronger, and a limit that can be named is better than a field that cuts. OWASP: no less than 64. */
const maxCharacters = 128;
/** From this length on, words in a row are stronger than what composition rules make people write. */
const passphraseCharacters = 20;

/** Rules that every password keeps. */
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

/** Rules that a passphrase is excused from. */
const compositionRules: typeof alwaysRules = [
  [(password) => /\p{Lu}/u.test(password), 'The password must contain at least one uppercase letter.'],
  [(password) => /\p{Ll}/u.test(password), 'The password must contain at least one lowercase letter.'],
  [(password) => /\p{Nd}/u.test(password), 'The password must contain at least one number.'],
  [(password) => /[^\p{L}\p{Nd}]/u.test(password), 'The password must contain at least one special character.'],
];

/** Every rule that the password breaks, in words; none when it is strong. `ownNames` are the username and the e-mail of its owner. */
export function faultsOfPassword(password: string, ownNames: readonly (string | null | undefined)[] = []): string[] {
  const isPassphrase = [...password].length >= passphraseCharacters;
  const rules = isPassphrase ? alwaysRules : [...alwaysRules, ...compositionRules];
  const faults = rules.flatMap(([keeps, complaint]) => (keeps(password) ? [] : [complaint]));
  const isOwnName = ownNames.some((name) => name?.toLowerCase() === password.toLowerCase());
  return isOwnName ? [...faults, 'The password may not be the username or the e-mail address.'] : faults;
}

/** Throws `weak-password` with every rule that the password breaks; its message is the first of them. */
export function requireStrongPassword(password: string, ownNames: readonly (string | null | undefined)[] = []): void {
  const faults = faultsOfPassword(password, ownNames);
  const [message] = faults;
  if (message !== undefined) {
    throw new AppError('weak-password', message, { details: [{ message, validationErrors: faults }] });
  }
}

/** Throws `bad-data` unless the password was typed twice alike and is another than the old one. */
export function requireNewPassword(given: { password: string; confirmPassword: string; oldPassword: string }): void {
  if (given.confirmPassword !== given.password) {
    throw new AppError('bad-data', 'The .confirmPassword property should be the same as .password. You sent ***.');
  }
  if (given.oldPassword === given.password) {
    throw new AppError('bad-data', 'The .password property should be another than .oldPassword. You sent ***.');
  }
}
