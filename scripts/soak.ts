// Runs the soak of e2e/faults/soak.faults.test.ts alone.
//
//   npm run soak -- --minutes 60 --seed 7
//
// Exit codes: 0 everything agrees; 1 it does not; 2 the arguments are wrong.

import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

const usage = `Usage: npm run soak -- [--minutes <number>] [--seed <number>]
  --minutes  how long faults occur; default 60. Memory and handles are compared from 20 minutes on
  --seed     the faults of an earlier run; default a new one, which the run prints`;

/** A day has more faults than there are kinds and processes. */
const maxMinutes = 1_440;

function readArguments(args: string[]): Record<string, string> {
  const { minutes = '60', seed } = parseArgs({
    args,
    options: { minutes: { type: 'string' }, seed: { type: 'string' } },
  }).values;
  const isWithin = Number(minutes) > 0 && Number(minutes) <= maxMinutes;
  if (!isWithin) throw new Error(`--minutes ${minutes} is not a number above 0 and up to ${maxMinutes}.`);
  if (seed !== undefined && !/^\d{1,10}$/.test(seed)) throw new Error(`--seed ${seed} is not a whole number.`);
  return { SOAK_MINUTES: minutes, ...(seed !== undefined && { FAULTS_SEED: seed }) };
}

try {
  const environment = readArguments(process.argv.slice(2));
  const root = path.resolve(import.meta.dirname, '..');
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'faults', 'e2e/faults/soak.faults.test.ts'];
  // biome-ignore lint/style/noProcessEnv: the tests read the environment of this command.
  const env = { ...process.env, ...environment };
  spawn(process.execPath, words, { cwd: root, stdio: 'inherit', env }).on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  console.error(`soak: ${(error as Error).message}\n${usage}`);
  process.exitCode = 2;
}
