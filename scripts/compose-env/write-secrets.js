// @ts-check
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

/**
 * Writes generated secrets into a file that only its owner may read, prints how many, and never changes a file that
 * exists, which is no error if it has all of them: a second start follows. Sets the exit code 1 when it cannot write,
 * and when the file that exists lacks secrets.
 *
 * @param {object} secrets
 * @param {string} secrets.file
 * @param {string} secrets.text
 * @param {number} secrets.count
 * @param {(text: string) => string[]} secrets.missingIn The names of the secrets that the text of a file lacks.
 * @param {string} secrets.consequence What happens without them.
 */
export function writeSecrets({ file, text, count, missingIn, consequence }) {
  try {
    if (!existsSync(file) && createWhole(file, text)) {
      console.log(`${file} has ${count} generated secrets. Keep a copy: the database accepts no others.`);
      return;
    }
    const missing = missingIn(readFileSync(file, 'utf8'));
    if (missing.length === 0) {
      console.log(`${file} exists and was not changed: its secrets are those of the database.`);
      return;
    }
    console.error(
      `${file} exists and was not changed, but it has no ${missing.join(', ')}: ${consequence} ` +
        'Add them, or delete the file if there is no database yet, and run this again.',
    );
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    console.error(`${file} cannot be written (${code}).`);
  }
  process.exitCode = 1;
}

/**
 * Makes the file with its whole text. A process that is killed, or a full disk, leaves no part of it. Returns false if
 * another process has made the file meanwhile.
 *
 * @param {string} file
 * @param {string} text
 */
function createWhole(file, text) {
  const beside = `${file}.new`;
  try {
    const descriptor = openSync(beside, 'w', 0o600);
    try {
      // `writeSync` may write a part and say so by its result alone.
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    try {
      linkSync(beside, file);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST' || existsSync(file)) return false;
      // Not every file system has links.
      renameSync(beside, file);
    }
    return true;
  } finally {
    rmSync(beside, { force: true });
  }
}
