import { randomInt } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';

const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
/** Of 32 letters that nobody mistakes for each other: 120 random bits, in words short enough to type. */
const wordCount = 6;
const wordLength = 4;

/** A password that nobody knows yet: a passphrase by our own rules. */
export function generatePassword(): string {
  for (;;) {
    const word = () => Array.from({ length: wordLength }, () => letters[randomInt(letters.length)]).join('');
    const password = Array.from({ length: wordCount }, word).join('-');
    // The rules refuse three of the same in a row, which one in twenty would have; it costs a thousandth of the bits.
    if (!/(.)\1{2}/.test(password)) return password;
  }
}

/**
 * Tells the operator a generated password: into the file, its owner's alone and whole or not at all, or else as one plain line. Never
 * by the logger: logs are collected and kept.
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
