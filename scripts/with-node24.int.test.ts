// Proves that a program run through with-node24.js cannot tell the difference: arguments, environment, exit code,
// signals, under Node 24. The installation is tried on a small clone of its own with a stand-in for npm, so that
// nothing is fetched; what npm ci itself does is npm's affair.

import type { SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-clone-'));
  for (const place of ['scripts', 'bin']) mkdirSync(path.join(folder, place));
  cpSync(path.join(import.meta.dirname, 'with-node24.js'), path.join(folder, 'scripts/with-node24.js'));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeLock('1.0.0');
  // "Installs" what the lock names: a folder per package and npm's own note of it. Notes that it ran.
  writeFileSync(
    path.join(folder, 'bin/npm'),
    `#!/bin/sh
echo "$@" >> installs
sleep 0.3
[ -z "$FAIL" ] || exit 7
mkdir -p node_modules/needed && cp noted.json node_modules/.package-lock.json
`,
  );
  chmodSync(path.join(folder, 'bin/npm'), 0o755);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeLock(version: string): void {
  const write = (file: string, packages: object) =>
    writeFileSync(path.join(folder, file), JSON.stringify({ lockfileVersion: 3, packages }));
  const needed = { '': {}, 'node_modules/needed': { version } };
  // Another platform's package stands in the lockfile and is never installed here.
  write('package-lock.json', { ...needed, 'node_modules/elsewhere': { version, optional: true } });
  write('noted.json', needed);
}

function begin(code: string, environment: Record<string, string> = {}, options: SpawnOptions = {}) {
  const file = path.join(folder, `program-${Math.random()}.ts`);
  writeFileSync(file, code);
  const child = spawn(process.execPath, [path.join(folder, 'scripts/with-node24.js'), file, 'one', 'two words'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${folder}/bin:/usr/bin:/bin`, ...environment },
    ...options,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data));
  const ended = new Promise<{ code: number | null; signal: string | null; output: string }>((resolve) =>
    child.on('close', (exitCode, signal) => resolve({ code: exitCode, signal, output })),
  );
  return { child, ended, said: (word: string) => expect.poll(() => output).toContain(word) };
}

const installs = () => readFileSync(path.join(folder, 'installs'), 'utf8').trim().split('\n');

test('installs in a fresh clone, and gives arguments, environment and exit code through', async () => {
  const code = `
    const given: string[] = process.argv.slice(2);
    console.log(JSON.stringify([given, process.env.MINE, Number(process.versions.node.split('.')[0]) >= 24]));
    process.exit(3);`;
  const { code: exitCode, output } = await begin(code, { MINE: 'yes' }).ended;
  expect(output).toContain(JSON.stringify([['one', 'two words'], 'yes', true]));
  expect(exitCode).toBe(3);
  expect(installs()).toEqual(['ci --include=dev --no-audit --no-fund --loglevel=error']);
});

test('installs again only when the lockfile names something else', async () => {
  await begin('').ended;
  await begin('').ended;
  expect(installs()).toHaveLength(1);
  writeLock('1.0.1');
  await begin('').ended;
  expect(installs()).toHaveLength(2);
  rmSync(path.join(folder, 'node_modules/needed'), { recursive: true });
  await begin('').ended;
  expect(installs()).toHaveLength(3);
});

test('installs once when two start at once in a fresh clone', async () => {
  const outcomes = await Promise.all([begin('').ended, begin('').ended, begin('').ended]);
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(installs()).toHaveLength(1);
});

test('takes over the installation of a start that was killed', async () => {
  mkdirSync(path.join(folder, '.yardarm'));
  // No process has this number: it is above what Linux and macOS hand out.
  writeFileSync(path.join(folder, '.yardarm/install.lock'), '99999999');
  expect((await begin('').ended).code).toBe(0);
});

test('says in one sentence that npm failed, or that it is missing', async () => {
  const failed = await begin('', { FAIL: '1' }).ended;
  expect(failed.output).toContain('npm ci failed with exit code 7');
  expect(failed.code).toBe(1);
  rmSync(path.join(folder, 'bin/npm'));
  symlinkSync('/bin/true', path.join(folder, 'bin/true'));
  const missing = await begin('', { PATH: `${folder}/bin` }).ended;
  expect(missing.output).toContain('npm is not on the PATH');
  expect(missing.code).toBe(1);
});

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('passes %s on once and ends as the program does', async (signal) => {
  const { child, ended, said } = begin(`
    let heard = 0;
    process.on('${signal}', () => { heard += 1; setTimeout(() => process.exit(40 + heard), 200); });
    setInterval(() => {}, 1000);
    console.log('listening');`);
  await said('listening');
  child.kill(signal);
  expect((await ended).code).toBe(41);
});

test('ends by the signal that ended the program', async () => {
  expect((await begin(`process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`).ended).signal).toBe(
    'SIGTERM',
  );
});
