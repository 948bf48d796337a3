// Proves that a program behaves the same through with-node24.js: arguments, environment, exit code, signals, under Node
// 24. The installation is tested on a small clone with a stand-in for npm, so that nothing is fetched.

import type { SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { longTest } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-clone-'));
  for (const place of ['scripts', 'bin']) mkdirSync(path.join(folder, place));
  cpSync(path.join(import.meta.dirname, 'with-node24.js'), path.join(folder, 'scripts/with-node24.js'));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeLock('1.0.0');
  // Makes a folder per package of the lockfile and npm's own record of it. Records that it ran.
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
  // The lockfile has a package of another platform, which is never installed here.
  write('package-lock.json', { ...needed, 'node_modules/elsewhere': { version, optional: true } });
  write('noted.json', needed);
}

function begin(code: string, environment: Record<string, string> = {}, options: SpawnOptions = {}) {
  const file = path.join(folder, `program-${Math.random()}.ts`);
  writeFileSync(file, code);
  return beginFile(file, environment, options);
}

function beginFile(file: string, environment: Record<string, string> = {}, options: SpawnOptions = {}) {
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
  return { child, ended, printed: (word: string) => expect.poll(() => output).toContain(word) };
}

const installs = () => readFileSync(path.join(folder, 'installs'), 'utf8').trim().split('\n');

test('installs in a fresh clone, and passes on arguments, environment and exit code', async () => {
  const code = `
    const given: string[] = process.argv.slice(2);
    console.log(JSON.stringify([given, process.env.MINE, Number(process.versions.node.split('.')[0]) >= 24]));
    process.exit(3);`;
  const { code: exitCode, output } = await begin(code, { MINE: 'yes' }).ended;
  expect(output).toContain(JSON.stringify([['one', 'two words'], 'yes', true]));
  expect(exitCode).toBe(3);
  expect(installs()).toEqual(['ci --include=dev --no-audit --no-fund --loglevel=error']);
});

longTest('installs again only when the lockfile has changed or a package is missing', async () => {
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

test('installs once for concurrent starts in a fresh clone', async () => {
  const outcomes = await Promise.all([begin('').ended, begin('').ended, begin('').ended]);
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(installs()).toHaveLength(1);
});

longTest('installs after another start was killed during its installation', async () => {
  mkdirSync(path.join(folder, '.yardarm'));
  // No process has this id: it is above the maximum of Linux and macOS.
  writeFileSync(path.join(folder, '.yardarm/install.lock'), '99999999');
  const { code, output } = await begin('').ended;
  expect(code).toBe(0);
  expect(output).not.toContain('Waiting');
});

test('reports that npm failed or is missing', async () => {
  const failed = await begin('', { FAIL: '1' }).ended;
  expect(failed.output).toContain('npm ci failed with exit code 7');
  expect(failed.code).toBe(1);
  // The next start does not wait for this one.
  expect(existsSync(path.join(folder, '.yardarm/install.lock'))).toBe(false);
  rmSync(path.join(folder, 'bin/npm'));
  symlinkSync('/bin/true', path.join(folder, 'bin/true'));
  const missing = await begin('', { PATH: `${folder}/bin` }).ended;
  expect(missing.output).toContain('npm is not on the PATH');
  expect(missing.code).toBe(1);
});

longTest('reports a missing nats-server to npm start before it installs, unless there is a NATS_URL', async () => {
  for (const place of ['start', 'servers']) mkdirSync(path.join(folder, 'scripts', place));
  const main = path.join(folder, 'scripts/start/main.ts');
  writeFileSync(main, '');
  const missing = `export async function findNats(log, dataDir) { log('looking'); throw new Error('none in ' + dataDir); }`;
  writeFileSync(path.join(folder, 'scripts/servers/nats-binary.js'), missing);
  const { code, output } = await beginFile(main, { YARDARM_DATA_DIR: 'mine' }).ended;
  expect([code, output]).toEqual([1, `looking\nYardarm could not start: none in ${path.join(folder, 'mine')}\n`]);
  expect(existsSync(path.join(folder, 'installs'))).toBe(false);
  expect((await beginFile(main, { NATS_URL: 'nats://there' }).ended).code).toBe(0);
  // The packages are installed now, and npm start looks itself.
  expect((await beginFile(main).ended).code).toBe(0);
});

test('reports in one sentence that it cannot install in a folder of another user', async () => {
  chmodSync(folder, 0o555);
  // Root may write to every folder.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const { code, output } = await beginFile('program.ts', {}, nobody).ended;
  chmodSync(folder, 0o755);
  expect(code).toBe(1);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(output).toContain(`cannot be installed, because this user cannot write to ${folder} (EACCES)`);
});

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('passes %s on once and ends as the program does', async (signal) => {
  const { child, ended, printed } = begin(`
    let signals = 0;
    process.on('${signal}', () => { signals += 1; setTimeout(() => process.exit(40 + signals), 200); });
    setInterval(() => {}, 1000);
    console.log('listening');`);
  await printed('listening');
  child.kill(signal);
  expect((await ended).code).toBe(41);
});

test('ends by the signal that ended the program', async () => {
  expect((await begin(`process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`).ended).signal).toBe(
    'SIGTERM',
  );
});
