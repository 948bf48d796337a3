// Whole installations by `npm start`. They have their own servers unless the environment names others, such as those of
// the test run.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileCache } from '@yardarm/testing';
import { inject } from 'vitest';
import { onPostgres } from '../scripts/servers/postgres-address.ts';

export interface Installation {
  dataDir: string;
  /** What it has printed. */
  output(): string;
  /** The address, when it is ready. Rejects with the output when it ends before. */
  ready: Promise<string>;
  ended: Promise<number | null>;
  encryptionKey(): string;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  stop(): Promise<void>;
}

const thisCheckout = path.resolve(import.meta.dirname, '..');
const running = new Set<ChildProcess>();
const folders: string[] = [];
const databases: string[] = [];

export function newDataDir(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-shared-'));
  folders.push(folder);
  return path.join(folder, 'data');
}

/** Makes an empty database and returns its URL. */
export async function newDatabase(): Promise<string> {
  const name = `shared_${randomBytes(6).toString('hex')}`;
  await onPostgres(inject('postgresUrl'), `create database ${name}`);
  databases.push(name);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

export function start(
  dataDir: string,
  environment: Record<string, string>,
  checkout: string = thisCheckout,
): Installation {
  const child = spawn(process.execPath, [path.join(checkout, 'scripts/start/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/bin',
      YARDARM_DATA_DIR: dataDir,
      PORT: '0',
      ...compileCache,
      ...environment,
    },
  });
  running.add(child);
  let text = '';
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  void ended.then(() => running.delete(child));
  const ready = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        text += data;
        const address = /is ready on (\S+)\n/.exec(text)?.[1];
        if (address) resolve(address);
      });
    }
    void ended.then(() => reject(new Error(text)));
  });
  // Tests of failing starts do not await it.
  ready.catch(() => {});
  const credentials = () => JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8'));
  return {
    dataDir,
    output: () => text,
    ready,
    ended,
    encryptionKey: () => credentials().integrationsEncryptionKey,
    async call(method, to, body) {
      const response = await fetch((await ready) + to, {
        method,
        headers: { authorization: credentials().adminToken, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      return { status: response.status, body: answer === '' ? undefined : JSON.parse(answer) };
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Ends what runs, and removes folders and databases. */
export async function removeAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
    }),
  );
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  for (const name of databases.splice(0)) await onPostgres(inject('postgresUrl'), `drop database ${name} with (force)`);
}
