// Proves that our Postgres starts, keeps its data over stops and kills, and is used by one process at a time. The
// services test their tables.

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningPostgres } from './postgres.ts';
import { startPostgres } from './postgres.ts';
import { findPostgresProblem, onPostgres } from './postgres-address.ts';

let folder: string;
let running: RunningPostgres[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-pg-'));
  // As root, the user that runs Postgres must be able to enter, so that its data stays here.
  chmodSync(folder, 0o711);
  running = [];
});

afterEach(async () => {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(settings: string[] = []): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir: path.join(folder, 'data'), durable: false, settings });
  running.push(server);
  return server;
}

/** Starts Postgres in a process that makes a table, prints the address and waits. */
async function startElsewhere() {
  const code = `
    const { startPostgres } = await import(${JSON.stringify(path.join(import.meta.dirname, 'postgres.ts'))});
    const { onPostgres } = await import(${JSON.stringify(path.join(import.meta.dirname, 'postgres-address.ts'))});
    const server = await startPostgres({ dataDir: ${JSON.stringify(path.join(folder, 'data'))}, durable: true });
    await onPostgres(server.url, 'create table kept as select 42 as answer');
    console.log(server.url);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
  return { child, url };
}

test('has the settings that it is given, and none of them after the next start', async () => {
  const first = await start(['shared_preload_libraries=pg_stat_statements']);
  await onPostgres(first.url, 'create extension pg_stat_statements');
  expect((await onPostgres(first.url, 'select query from pg_stat_statements')).rowCount).toBeGreaterThan(0);
  await first.stop();
  const second = await start();
  await expect(onPostgres(second.url, 'select query from pg_stat_statements')).rejects.toThrow('must be loaded');
});

test('finds its data, and the same password, after a stop and another start', async () => {
  const first = await start();
  await onPostgres(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  expect(await findPostgresProblem(first.url)).toContain('connection refused');

  const second = await start();
  expect((await onPostgres(second.url, 'select answer from kept')).rows).toEqual([{ answer: 42 }]);
  expect(new URL(second.url).password).toBe(new URL(first.url).password);
});

test('finds committed data after a crash and another start', async () => {
  const first = await startPostgres({ dataDir: path.join(folder, 'data'), durable: true });
  running.push(first);
  await onPostgres(first.url, 'create table kept as select 42 as answer');
  await first.crash();
  expect(await findPostgresProblem(first.url)).toContain('connection refused');

  const second = await start();
  expect((await onPostgres(second.url, 'select answer from kept')).rows).toEqual([{ answer: 42 }]);
});

test('stores UTF-8 text, sorts by code point and uses UTC', async () => {
  const { url } = await start();
  const result = await onPostgres(
    url,
    `select current_setting('server_encoding') as encoding, current_setting('timezone') as zone,
            'Z' < 'a' collate "default" as by_code_point, lower('Ä') as lowered`,
  );
  expect(result.rows).toEqual([{ encoding: 'UTF8', zone: 'UTC', by_code_point: true, lowered: 'ä' }]);
});

test('refuses a wrong password, and only the owner can read the file of the password', async () => {
  const { url } = await start();
  const wrong = new URL(url);
  wrong.password = 'guess';
  expect(await findPostgresProblem(wrong.href)).toBe('the user or the password is wrong');
  expect(statSync(path.join(folder, 'data', 'password')).mode & 0o777).toBe(0o600);
});

test('refuses a second start in the same folder and names the process that owns it', async () => {
  const first = await start();
  await expect(start()).rejects.toThrow(`is in use by process ${process.pid}`);
  expect(await findPostgresProblem(first.url)).toBeUndefined();
});

test('of many concurrent starts in a new folder, one succeeds', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, start));
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
});

test('ends when the process that started it is killed, and starts again with all committed data', async () => {
  const { child, url } = await startElsewhere();
  child.kill('SIGKILL');
  // Immediately, so that the guard may or may not have stopped the old one yet.
  const again = await start();
  expect(await findPostgresProblem(url)).toContain('connection refused');
  expect((await onPostgres(again.url, 'select answer from kept')).rows).toEqual([{ answer: 42 }]);
});

test('starts when the process id in postmaster.pid belongs to another program', async () => {
  await (await start()).stop();
  writeFileSync(path.join(folder, 'data', 'cluster', 'postmaster.pid'), `${process.pid}\n${folder}/data/cluster\n`);
  expect(await findPostgresProblem((await start()).url)).toBeUndefined();
});

test.runIf(process.getuid?.() === 0)(
  'as root stores data where its user may read, and does not reuse the data of a removed folder',
  async () => {
    chmodSync(folder, 0o700);
    const first = await start();
    await onPostgres(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const home = readFileSync(path.join(folder, 'data', 'home'), 'utf8').trim();
    try {
      expect(home).toMatch(/^\/var\/lib\/yardarm\//);
      const second = await start();
      expect((await onPostgres(second.url, 'select answer from kept')).rows).toEqual([{ answer: 42 }]);
      await second.stop();

      rmSync(path.join(folder, 'data'), { recursive: true });
      const anew = await start();
      await expect(onPostgres(anew.url, 'select answer from kept')).rejects.toThrow('does not exist');
      await anew.stop();
    } finally {
      for (const place of [home, `${home}.old`]) rmSync(place, { recursive: true, force: true });
    }
  },
);
