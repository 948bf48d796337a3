import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes another file and renames it, so that a reader finds the file complete and with its mode, and a crash keeps the
 * old one.
 */
export function replaceFile(file: string, text: string, mode: number): void {
  // A file that a killed process left keeps its mode when it is written.
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}
