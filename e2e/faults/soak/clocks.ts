// Clocks that a test moves, by libfaketime: a process with such a clock sees the time of the machine and an offset.
import { existsSync, globSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commandFolders, programsFolder, withPackage } from '../../../scripts/servers/archive-program.js';

const library = 'faketime/libfaketimeMT.so.1';
/** Kept between runs, beside what `npm start` fetches. */
const kept = path.join(programsFolder, 'libfaketime');

const inLibraries = (root: string) => globSync(path.join(root, 'usr/{lib,lib/*}', library))[0];

/** The library of this machine, else that of the archive of Debian or Ubuntu. Null when neither has one. */
export async function findFaketime(): Promise<string | null> {
  const found = inLibraries('/') ?? inLibraries(kept);
  if (found !== undefined) return found;
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const fetched = await withPackage(
    'libfaketime',
    'libfaketime',
    print,
    programsFolder,
    commandFolders(),
    async (unpacked) => {
      renameSync(unpacked, kept);
      return inLibraries(kept);
    },
  );
  return fetched ?? null;
}

/** The clock of one process, which reads the offset from a file once in a second. */
export class Clock {
  /** The variables of the process. Without them, when the library is missing, it has the clock of the machine. */
  readonly environment: Record<string, string>;
  readonly #file: string;

  constructor(file: string, faketime: string | null) {
    this.#file = file;
    this.step(0);
    this.environment =
      faketime === null
        ? {}
        : {
            ...{ LD_PRELOAD: faketime, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1' },
            // Timers of a machine do not follow its wall clock.
            ...{ FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_RESET: '1' },
          };
  }

  /** Moves the clock to so many seconds before or after that of the machine. */
  step(seconds: number): void {
    // Postgres runs as another user when root starts it.
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`, { mode: 0o644 });
  }
}

/** Where the clock of a process is, beside its other files. */
export function clockFile(folder: string, name: string): string {
  const clocks = path.join(folder, 'clocks');
  if (!existsSync(clocks)) mkdirSync(clocks, { mode: 0o755 });
  return path.join(clocks, name);
}
