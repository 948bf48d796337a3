// @ts-check
import { writeFileSync } from 'node:fs';

/**
 * Writes generated secrets into a file that only its owner may read, prints how many, and never changes a file that
 * exists, which is no error: a second start follows. Sets the exit code 1 when it cannot write.
 *
 * @param {string} file
 * @param {string} text
 * @param {number} count
 */
export function writeSecrets(file, text, count) {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    console.log(`${file} has ${count} generated secrets. Keep a copy: the database accepts no others.`);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'EEXIST') {
      console.log(`${file} exists and was not changed: its secrets are those of the database.`);
      return;
    }
    console.error(`${file} cannot be written (${code}).`);
    process.exitCode = 1;
  }
}
