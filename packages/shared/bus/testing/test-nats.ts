import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectSocket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger, type Logger } from '../../log/index.ts';
import type { RequestContext } from '../bus.ts';
import { pollUntil } from '../waiting.ts';

/** A nats-server of one test, which the test may kill and wipe. The program is the first on the PATH. */
export interface TestNats {
  url: string;
  /** With the options of the first start unless others are given. */
  start(options?: { jetstream?: boolean }): Promise<void>;
  kill(): Promise<void>;
  /** Removes the stored data; the server must not run. */
  wipe(): void;
  remove(): Promise<void>;
}

// The shell kills the server when this end of the pipe closes, even when this process crashes.
const script =
  'nats-server "$@" >/dev/null 2>&1 & server=$!; echo $server; cat >/dev/null; kill -9 $server 2>/dev/null';

/** Starts a server with JetStream on a free port of loopback. */
export async function startTestNats(options: { jetstream?: boolean } = {}): Promise<TestNats> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-bus-'));
  const store = path.join(folder, 'store');
  const port = await freePort();
  let server: { pid: number; ended: Promise<void>; release(): void } | null = null;

  const nats: TestNats = {
    url: `nats://127.0.0.1:${port}`,
    async start({ jetstream = true } = options) {
      const args = ['-a', '127.0.0.1', '-p', String(port), ...(jetstream ? ['-js', '-sd', store] : [])];
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

export function keepingLogger(): { log: Logger; lines: { level: number; msg: string; [key: string]: unknown }[] } {
  const lines: { level: number; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLogger({ service: 'test', level: 'debug', destination }), lines };
}

/** A context of an admin with a deadline in ten seconds, and the given changes. */
export function contextWith(changes: Partial<RequestContext> = {}): RequestContext {
  return {
    requestId: 'req-1',
    actor: { kind: 'user', id: 1, username: 'ann', grants: [{ permissions: ['ADMIN'] }] },
    deadline: Date.now() + 10_000,
    traceparent: null,
    ...changes,
  };
}

/** Returns the error that `run` throws; throws when it throws none. */
export async function thrownBy(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function freePort(): Promise<number> {
  // Below the ephemeral ports: an outgoing connection could use one of those while the server is down.
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
