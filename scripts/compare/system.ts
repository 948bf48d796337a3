import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../servers/free-port.ts';
import { inherited } from './options.ts';

/** A running system that gets the requests. */
export interface System {
  name: 'yardarm' | 'unleash-server';
  url: string;
  stop(): Promise<void>;
}

/** How both systems let the script in. */
export interface Login {
  adminToken: string;
  /** Of the first admin, whose name is `admin`. */
  password: string;
}

/** Both make their tables at the first start. It took up to 30 s beside other work. */
const startLimitMs = 120_000;

export async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  const limit = Date.now() + startLimitMs;
  while (Date.now() < limit) {
    if (child.exitCode !== null) throw new Error(`the process of ${url} ended with ${child.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await sleep(200);
  }
  throw new Error(`${url} was not ready within ${startLimitMs / 1000} s`);
}

/** Starts Yardarm as `npm start` does, with its data in `folder`. */
export async function startYardarm(folder: string, login: Login): Promise<System> {
  const port = await freePort();
  const log = openSync(path.join(folder, 'yardarm.log'), 'w');
  const child = spawn(process.execPath, [path.resolve(import.meta.dirname, '../start/main.ts')], {
    stdio: ['ignore', log, log],
    env: {
      ...inherited,
      PORT: String(port),
      YARDARM_DATA_DIR: path.join(folder, 'data'),
      YARDARM_PARENT_PID: String(process.pid),
      INIT_ADMIN_API_TOKENS: login.adminToken,
      UNLEASH_DEFAULT_ADMIN_PASSWORD: login.password,
    },
  });
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
  };
  try {
    await waitUntilReady(child, `${url}/ready`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { name: 'yardarm', url, stop };
}
