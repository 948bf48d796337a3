import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installedFile } from '@yardarm/testing/debian-package';

/** Where programs find the packages of this project. */
const folder = path.resolve(import.meta.dirname, '../../../node_modules/.cache/console-programs');

/** The commands to which the file of the program is added. */
const interpreters = {
  mjs: [process.execPath],
  sh: ['sh'],
  // Ruby would keep what it prints to a pipe until it ends.
  rb: ['ruby', '-e', '$stdout.sync = true; load ARGV[0]'],
} as const;

/** Installs Unleash's Ruby SDK, with Ruby. Throws where root may not do this with a package of Debian or Ubuntu. */
export function installRubySdk(): void {
  const found = installedFile(['/var/lib/dpkg/info/ruby-unleash.list'], 'ruby-unleash');
  if (found === undefined) throw new Error('This test needs the package ruby-unleash of Debian or Ubuntu.');
}

/** A program that was copied from a page. */
export interface RunningProgram {
  /** What it has printed, errors too. */
  output(): string;
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Runs it as a user would: from a file, with the packages of this project. */
export function runProgram(kind: keyof typeof interpreters, source: string): RunningProgram {
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(path.join(folder, 'run-'));
  const file = path.join(own, `main.${kind}`);
  writeFileSync(file, source);
  const [command, ...words] = interpreters[kind];
  const child: ChildProcess = spawn(command, [...words, file], {
    ...{ cwd: own, stdio: ['ignore', 'pipe', 'pipe'] },
    // The Node SDK keeps a copy of the flags in the folder of temporary files.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: own },
  });
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (data) => (text += data));
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    output: () => text,
    ended,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(own, { recursive: true });
    },
  };
}
