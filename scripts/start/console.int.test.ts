// When `npm start` builds the console: with the real vite, in a small project.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { longTest } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareConsole } from './console.ts';
import { projectFolder } from './options.ts';

let project: string;
let said: string[];
let warned: string[];

const files: Record<string, string> = {
  'package-lock.json': '{}',
  'packages/console/package.json': '{"type":"module"}',
  'packages/console/vite.config.ts': `export default {
    root: import.meta.dirname, base: './', build: { outDir: process.env.CONSOLE_OUT_DIR, emptyOutDir: true },
  };`,
  'packages/console/index.html': '<!doctype html><script type="module" src="./main.ts"></script>',
  'packages/console/main.ts': `import { off } from '../evaluation/off.ts'; document.title = off + 'x'.repeat(3_000);`,
  'packages/evaluation/off.ts': `export const off: string = 'off';`,
  'packages/shared/contracts/flags.ts': 'export const flags = 1;',
  'packages/shared/db/index.ts': 'export const db = 1;',
};

const write = (name: string, content: string) => {
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  writeFileSync(path.join(project, name), content);
};

beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'yardarm-prepare-'));
  for (const [name, content] of Object.entries(files)) write(name, content);
  mkdirSync(path.join(project, 'node_modules'));
  symlinkSync(path.join(projectFolder, 'node_modules/vite'), path.join(project, 'node_modules/vite'));
  said = [];
  warned = [];
});

afterEach(() => {
  rmSync(project, { recursive: true });
});

const prepare = (signal = new AbortController().signal) =>
  prepareConsole(
    project,
    (line) => said.push(line),
    (line) => warned.push(line),
    signal,
  );
const builds = () => readdirSync(path.join(project, 'node_modules/.cache/console'));

test('a build has the page and each file in three forms', async () => {
  const folder = (await prepare())!;
  expect(readFileSync(path.join(folder, 'index.html'), 'utf8')).toContain('src="./assets/index-');
  const assets = readdirSync(path.join(folder, 'assets')).sort();
  expect(assets).toEqual([
    expect.stringMatching(/^index-[\w-]+\.js$/),
    expect.stringMatching(/\.js\.br$/),
    expect.stringMatching(/\.js\.gz$/),
  ]);
  const [plain, br, gz] = assets.map((name) => readFileSync(path.join(folder, 'assets', name)));
  expect(plain!.toString()).toContain('document.title');
  expect([brotliDecompressSync(br!), gunzipSync(gz!)]).toEqual([plain, plain]);
  expect(builds()).toEqual([path.basename(folder)]);
});

longTest('it is built again only when its sources, contracts, the evaluation or the lockfile change', async () => {
  const first = await prepare();
  expect(await prepare()).toBe(first);
  write('packages/shared/db/index.ts', 'export const db = 2;');
  write('packages/console/main.test.ts', 'test');
  write('packages/console/node_modules/react/index.js', 'react');
  write('packages/console/dist/index.html', 'built');
  expect(await prepare()).toBe(first);
  expect(said).toEqual(['Building the console ...']);

  const folders = new Set([first]);
  for (const name of [
    'package-lock.json',
    'packages/console/index.html',
    'packages/evaluation/off.ts',
    'packages/shared/contracts/flags.ts',
  ]) {
    write(name, `${files[name]}\n`);
    folders.add(await prepare());
  }
  write('packages/console/new.ts', 'export {};');
  folders.add(await prepare());
  expect([folders.size, said.length, warned]).toEqual([6, 6, []]);
});

test('a build that fails is one sentence, leaves nothing, and is tried again at the next start', async () => {
  write('packages/console/main.ts', `import './missing.ts';`);
  expect(await prepare()).toBeUndefined();
  expect(warned).toEqual([
    expect.stringMatching(/^The console could not be built, so Yardarm starts without it: vite ended with 1: .+$/),
  ]);
  expect(warned[0]).toContain('missing.ts');
  expect(builds()).toEqual([]);
  write('packages/console/missing.ts', 'export {};');
  expect(await prepare()).toBeDefined();
});

test('without vite there is no console', async () => {
  rmSync(path.join(project, 'node_modules/vite'));
  expect(await prepare()).toBeUndefined();
  expect(warned).toEqual([expect.stringMatching(/^The console could not be built, .*vite\/package\.json'$/)]);
});

test('a start that is stopped says nothing and leaves nothing', async () => {
  const stopping = new AbortController();
  const starting = prepare(stopping.signal);
  stopping.abort();
  expect([await starting, warned, builds()]).toEqual([undefined, [], []]);
});

test('a project without the console builds nothing', async () => {
  rmSync(path.join(project, 'packages/console'), { recursive: true });
  expect([await prepare(), said, warned]).toEqual([undefined, [], []]);
});
