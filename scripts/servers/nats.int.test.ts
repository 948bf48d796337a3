// Proves that our nats-server starts with JetStream, keeps its data over stops and kills, requires its password and is
// used by one process at a time. The bus tests streams and consumers.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectBus } from '@yardarm/shared/bus';
import { createLogger } from '@yardarm/shared/log';
import { addStream, publishWithoutBus, readWholeStream } from '@yardarm/testing/streams';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import type { NatsOptions, RunningNats } from './nats.ts';
import { startNats } from './nats.ts';
import { askNats, findNatsProblem } from './nats-address.ts';

let folder: string;
let running: RunningNats[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-nats-'));
  running = [];
});

afterEach(async () => {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Partial<NatsOptions> = {}): Promise<RunningNats> {
  const server = await startNats({ storeDir: path.join(folder, 'store'), isOpen: true, ...options });
  running.push(server);
  return server;
}

const makeStream = (url: string) => addStream(url, 'KEPT', 'kept');
const publish = (url: string) => publishWithoutBus(url, 'kept', {}, 'first');

test('finds its streams after a stop and another start', async () => {
  const first = await start();
  await makeStream(first.url);
  await publish(first.url);
  await first.stop();
  expect(await findNatsProblem(first.url)).toContain('connection refused');

  const second = await start();
  expect(await readWholeStream(second.url, 'KEPT')).toHaveLength(1);
});

test('lets its own user read no inbox of a service', async () => {
  const server = await startNats({ storeDir: path.join(folder, 'store') });
  running.push(server);
  const { username: user, password: pass, hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const subjects = ['>', '*', '*.>', '_INBOX.>', '_INBOX.*', '_INBOX.*.>', '_INBOX.gateway.accounts.x'];
  socket.write(`CONNECT ${JSON.stringify({ user, pass, verbose: false, protocol: 1 })}\r\n`);
  socket.write(`${subjects.map((subject, n) => `SUB ${subject} ${n}\r\n`).join('')}PING\r\n`);
  let answers = '';
  for await (const part of socket.setEncoding('utf8')) {
    answers += part;
    if (answers.includes('PONG')) break;
  }
  const refused = [...answers.matchAll(/Permissions Violation for Subscription to "([^"]+)"/g)].map(([, name]) => name);
  expect(refused).toEqual(subjects);
});

test('finds acknowledged messages after a crash and another start', async () => {
  const first = await start();
  await makeStream(first.url);
  await publish(first.url);
  await first.crash();
  expect(await findNatsProblem(first.url)).toContain('connection refused');

  const second = await start();
  expect(await readWholeStream(second.url, 'KEPT')).toHaveLength(1);
});

test('reports its version and that its JetStream answers', async () => {
  const { url, version } = await start();
  expect(await askNats(url)).toEqual({ version, jetstream: true });
});

test('refuses a wrong password, and only the owner can read the files of the passwords', async () => {
  const { url } = await start();
  const wrong = new URL(url);
  wrong.password = 'guess';
  expect(await findNatsProblem(wrong.href)).toBe('the user or the password is wrong');
  for (const name of ['passwords.json', 'nats.conf']) {
    expect(statSync(path.join(folder, 'store', name)).mode & 0o777).toBe(0o600);
  }
});

test('gives each service a user that may do what its contracts say, on a store of a version with one user', async () => {
  const store = path.join(folder, 'store');
  mkdirSync(store);
  writeFileSync(path.join(store, 'password'), 'of-one-user\n', { mode: 0o600 });
  const { url, serviceUrls, stop } = await startNats({ storeDir: store, prefix: 'p' });
  try {
    expect(new Set(Object.values(serviceUrls)).size).toBe(6);
    expect(serviceUrls.flags).toContain('nats://p_flags:');
    await publishWithoutBus(url, 'p.evt.flags.x', {}, 'first').then(
      () => expect.fail('the user that asks may publish'),
      (error: Error) => expect(error.message).toContain('Permissions Violation'),
    );
    const log = createLogger({ service: 'test', level: 'silent' });
    const flags = await connectBus({ url: serviceUrls.flags, name: 'flags', prefix: 'p', log });
    await flags.ensureStreams(['EVENTS']);
    expect(await flags.publish('evt.flags.x', {}, { msgId: 'first' })).toMatchObject({ sequence: 1 });
    await flags.drain();
    expect(await askNats(serviceUrls.flags)).toMatchObject({ jetstream: true });
  } finally {
    await stop();
  }
});

test('answers its monitoring on the port that it is given', async () => {
  const monitoringPort = await freePort();
  const { url } = await start({ monitoringPort });
  await makeStream(url);
  await publish(url);
  const varz = await fetch(`http://127.0.0.1:${monitoringPort}/varz`);
  expect(((await varz.json()) as { in_msgs: number }).in_msgs).toBeGreaterThan(0);
});

test('flushes before it acknowledges if the server supports it', async () => {
  const { version } = await start();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > 2 || minor >= 10;
  expect(readFileSync(path.join(folder, 'store', 'nats.conf'), 'utf8').includes('sync_interval: always')).toBe(isNew);
});

test('refuses a second start in the same folder', async () => {
  const first = await start();
  await expect(start()).rejects.toThrow(`is in use by process ${process.pid}`);
  expect(await findNatsProblem(first.url)).toBeUndefined();
});

test('ends when the process that started it is killed, and starts again with every acknowledged message', async () => {
  const code = `
    const { startNats } = await import(${JSON.stringify(path.join(import.meta.dirname, 'nats.ts'))});
    console.log((await startNats({ storeDir: ${JSON.stringify(path.join(folder, 'store'))}, isOpen: true })).url);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
  await makeStream(url);
  await publish(url);
  child.kill('SIGKILL');
  const again = await start();
  expect(await findNatsProblem(url)).toContain('connection refused');
  expect(await readWholeStream(again.url, 'KEPT')).toHaveLength(1);
});

test('removes a temporary store when it stops', async () => {
  const storeDir = path.join(folder, 'temporary');
  const server = await startNats({ storeDir, temporary: true, syncAlways: false });
  await server.stop();
  expect(existsSync(storeDir)).toBe(false);
});
