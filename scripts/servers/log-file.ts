import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';

// Above this size a start begins a new file and keeps the old one. So each log stays below 20 MB, also after months.
const rotateAboveBytes = 10_000_000;

export function openLog(file: string): { fd: number; size: number } {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > rotateAboveBytes) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  return { fd, size: fstatSync(fd).size };
}

/** The last lines of a log after its first `from` bytes. */
export function tailOf(file: string, from = 0, lines = 5): string {
  const fd = openSync(file, 'r');
  try {
    return readFileSync(fd).subarray(from).toString('utf8').trim().split('\n').slice(-lines).join('\n');
  } finally {
    closeSync(fd);
  }
}
