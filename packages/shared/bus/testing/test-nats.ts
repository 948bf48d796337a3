import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectSocket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger, type Logger } from '../../log/index.ts';
import type { RequestContext } from '../bus.ts';
import { pollUntil } from '../waiting.ts';

/** For tests of the bus: a nats-server of their own, to be killed and to be wiped. The program is the first on the PATH. */
export interface TestNats {
  url: string;
  start(): Promise<void>;
  /** SIGKILL, as a machine that loses its power would do it. */
  kill(): Promise<void>;
  /** Removes what it has stored; to be called while it does not run. */
  wipe(): void;
  /** Ends it and removes everything. */
  remove(): Promise<void>;
}

// The shell takes the server along when our end of the pipe closes, however this process ends.
const script =
  'nats-server "$@" >/dev/null 2>&1 & server=$!; echo $server; cat >/dev/null; kill -9 $server 2>/dev/null';

/** Starts a server with JetStream on a free port of loopback. */
export async function startTestNats(options: { jetstream?: boolean } = {}): Promise<TestNats> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-bus-'));
  const store = path.join(folder, 'store');
  const port = await freePort();
  const args = ['-a', '127.0.0.1', '-p', String(port), ...(options.jetstream === false ? [] : ['-js', '-sd', store])];
  let server: { pid: number; ended: Promise<void>; release(): void } | null = null;

  const nats: TestNats = {
    url: `nats://127.0.0.1:${port}`,
    async start() {
      const shell = spawn('/bin/sh', ['-c', script, 'sh', ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
      const pid = await new Promise<number>((resolve) => shell.stdout.once('data', (line) => resolve(Number(line))));
      const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()));
      server = { pid, ended, release: () => shell.stdin.end() };
      await pollUntil(() => answers(port));
    },
    async kill() {
      if (!server) return;
      process.kill(server.pid, 'SIGKILL');
      server.release();
      await server.ended;
      server = null;
    },
    wipe() {
      rmSync(store, { recursive: true, force: true });
    },
    async remove() {
      await nats.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await nats.start();
  return nats;
}

/** A logger that keeps what it is told. */
export function keepingLogger(): { log: Logger; lines: { level: number; msg: string; [key: string]: unknown }[] } {
  const lines: { level: number; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLogger({ service: 'test', level: 'debug', destination }), lines };
}

/** A context with an admin and ten seconds, unless said otherwise. */
export function contextWith(changes: Partial<RequestContext> = {}): RequestContext {
  return {
    requestId: 'req-1',
    actor: { kind: 'user', id: 1, username: 'ann', grants: [{ permissions: ['ADMIN'] }] },
    deadline: Date.now() + 10_000,
    traceparent: null,
    ...changes,
  };
}

/** What was thrown; fails when nothing was. */
export async function thrownBy(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function freePort(): Promise<number> {
  // Below those that outgoing connections get: one of them could take it while the server is down.
  const port = randomInt(20_000, 32_768);
  return new Promise((resolve) => {
    const listener = createServer();
    listener.once('error', () => resolve(freePort()));
    listener.listen(port, '127.0.0.1', () => listener.close(() => resolve(port)));
  });
}

function answers(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
