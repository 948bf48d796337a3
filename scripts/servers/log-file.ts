import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';

// A start begins a new file above this size and keeps the one before, so that logs of a developer's machine that
// runs for months stay below 20 MB each.
const rotateAboveBytes = 10_000_000;

/** Opens a log for appending, readable by its owner alone. */
export function openLog(file: string): { fd: number; size: number } {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > rotateAboveBytes) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  return { fd, size: fstatSync(fd).size };
}

/** The last lines that a log got since it had `from` bytes. */
export function tailOf(file: string, from = 0, lines = 5): string {
  const fd = openSync(file, 'r');
  try {
    return readFileSync(fd).subarray(from).toString('utf8').trim().split('\n').slice(-lines).join('\n');
  } finally {
    closeSync(fd);
  }
}
