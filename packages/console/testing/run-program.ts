import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where programs find the packages of this project. */
const folder = path.resolve(import.meta.dirname, '../../../node_modules/.cache/console-programs');

const interpreters = { mjs: process.execPath, sh: 'sh' } as const;

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
  const child: ChildProcess = spawn(interpreters[kind], [file], {
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
