import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';

// Above this size a new file begins and the old one is kept. So each log stays below 20 MB, also after months.
const rotateAboveBytes = 10_000_000;

export function openLog(file: string): { fd: number; size: number } {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > rotateAboveBytes) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  return { fd, size: fstatSync(fd).size };
}

/** A log that begins a new file when it is too large. A server that writes its log itself does so at its start only. */
export class RotatingLog {
  readonly #file: string;
  #open: { fd: number; size: number };

  constructor(file: string) {
    this.#file = file;
    this.#open = openLog(file);
  }

  write(line: string): void {
    if (this.#open.size > rotateAboveBytes) {
      this.close();
      this.#open = openLog(this.#file);
    }
    this.#open.size += writeSync(this.#open.fd, `${line}\n`);
  }

  close(): void {
    closeSync(this.#open.fd);
  }
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
