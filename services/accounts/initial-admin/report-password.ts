import { randomInt } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';

const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
/** Each letter is one of 32 that are hard to confuse: 120 random bits, in words short enough to type. */
const wordCount = 6;
const wordLength = 4;

/** Generates a random passphrase that passes the password rules. */
export function generatePassword(): string {
  for (;;) {
    const word = () => Array.from({ length: wordLength }, () => letters[randomInt(letters.length)]).join('');
    const password = Array.from({ length: wordCount }, word).join('-');
    // The rules refuse three equal letters in a row, as in one of twenty. The exclusion costs a thousandth of the bits.
    if (!/(.)\1{2}/.test(password)) return password;
  }
}

/**
 * Reports a generated password to the operator: in a file that only its owner can read, written atomically, else as
 * one plain line. Never through the logger: logs are collected and kept.
 */
export function reportPassword(
  { file, printLine }: { file: string | undefined; printLine(line: string): void },
  username: string,
  password: string,
): void {
  if (file === undefined) {
    printLine(
      `The first admin is "${username}" with the password "${password}". It has to be changed at the first login.`,
    );
    return;
  }
  writeFileSync(`${file}.new`, `${JSON.stringify({ username, password })}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
