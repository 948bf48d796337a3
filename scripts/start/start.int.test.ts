// Proves that `npm start` prints one line when everything is ready, ends cleanly by signals, has the same credentials
// at the second start, reports obstacles in plain sentences, and leaves nothing running after SIGKILL. The servers are
// real, the services are stand-ins. The e2e tests use the real services. Each test starts the launcher, which takes
// seconds, so those of single settings and obstacles are in long runs.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileCache, longTest } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findListenError, freePort } from '../servers/free-port.ts';
import { commandLineOf, processesIn } from '../servers/processes.ts';
import { withDatabaseLogin } from './database-logins.ts';
import { buildStandInInstallation } from './stand-in-installation.ts';

let folder: string;
let dataDir: string;
let started: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-start-'));
  // As root, the user that runs Postgres must be able to enter.
  chmodSync(folder, 0o711);
  dataDir = path.join(folder, 'data');
  started = [];
  buildStandInInstallation(folder);
});

afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  // A process that is left would write to the folder while it is removed.
  await expect.poll(processesLeft).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

/** The launcher, the services and the servers have the folder in their command lines, Postgres's others work in it. */
function processesLeft(): number[] {
  if (process.platform !== 'linux') return [];
  const named = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && commandLineOf(pid).includes(folder));
  return [...named, ...processesIn(path.join(dataDir, 'postgres/cluster'))];
}

type Start = { child: ChildProcess; output(): string; ready: Promise<string>; ended: Promise<number | null> };

function start(environment: Record<string, string> = {}): Start {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts'), folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      YARDARM_DATA_DIR: dataDir,
      PORT: '0',
      ...compileCache,
      ...environment,
    },
  });
  started.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (text += data));
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const address = /is ready on (\S+)\n/.exec(text)?.[1];
      if (address) resolve(address);
    });
    void ended.then(() => reject(new Error(text)));
  });
  // Tests of failing starts do not await it.
  ready.catch(() => {});
  return { child, output: () => text, ready, ended };
}

const ends = () => readFileSync(path.join(folder, 'ends'), 'utf8').trim().split('\n');
const pidOf = async (address: string) => ((await (await fetch(address)).json()) as { pid: number }).pid;

test('prints once that it is ready, and ends cleanly by Ctrl-C, the gateway first', async () => {
  const { child, output, ready, ended } = start();
  await ready;
  expect(output().match(/ready/g)).toHaveLength(1);
  child.kill('SIGINT');
  // The same signal passed on by npm does not count as a second Ctrl-C.
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(ends()[0]).toBe('gateway stopped');
  expect(ends()).toHaveLength(6);
});

test('prints tokens and the first login at the first start only, and stores them readable by their owner alone', async () => {
  const first = start();
  await first.ready;
  const kept = readFileSync(path.join(dataDir, 'credentials.json'), 'utf8');
  const { adminToken, sdkToken, frontendToken } = JSON.parse(kept) as Record<string, string>;
  expect(adminToken).toMatch(/^\*:\*\.yd_\w+$/);
  expect(frontendToken).toMatch(/^\*:development\.yd_\w+$/);
  for (const token of [adminToken, sdkToken, frontendToken]) expect(first.output()).toContain(token);
  expect(first.output()).toContain('admin with the password stand-in-password');
  expect(statSync(path.join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600);
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = start();
  await second.ready;
  expect(JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8'))).toMatchObject({
    adminToken,
    sdkToken,
    frontendToken,
  });
  for (const token of [adminToken, frontendToken]) expect(second.output()).not.toContain(token);
  expect(second.output()).not.toContain('stand-in-password');
  second.child.kill('SIGHUP');
  expect(await second.ended).toBe(0);
});

longTest(
  'stores the database logins readable by their owner alone while it runs, and removes them when it ends',
  async () => {
    const { child, ready, ended } = start();
    await ready;
    const file = path.join(dataDir, 'database-logins.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const environment = { YARDARM_DATA_DIR: dataDir };
    const port = readFileSync(path.join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[3];
    const { DATABASE_URL } = withDatabaseLogin('events', environment);
    expect(DATABASE_URL).toMatch(new RegExp(`^postgres://yardarm_events:\\w+@127\\.0\\.0\\.1:${port}/yardarm$`));
    const given = { ...environment, DATABASE_URL: 'postgres://other' };
    expect(withDatabaseLogin('events', given)).toEqual(given);
    child.kill('SIGTERM');
    await ended;
    expect(() => withDatabaseLogin('events', environment)).toThrow('npm start has to run');
  },
);

longTest('starts without the console when it cannot be built, and says so in one line', async () => {
  mkdirSync(path.join(folder, 'packages/console'), { recursive: true });
  writeFileSync(path.join(folder, 'packages/console/package.json'), '{}');
  const { child, output, ready, ended } = start();
  await ready;
  expect(output().match(/^The console could not be built, so Yardarm starts without it: .+$/gm)).toHaveLength(1);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

longTest('starts while a service is degraded, and says in one line what that one lacks', async () => {
  writeFileSync(path.join(folder, 'services/accounts/degraded'), '');
  const { output, ready } = start();
  await ready;
  expect(output()).toContain('accounts is degraded: the key is lost\n');
});

longTest('restarts a service that died, and Postgres on the same port', async () => {
  const { output, ready } = start();
  const address = await ready;
  const before = await pidOf(address);
  await fetch(`${address}/die`).catch(() => {});
  await expect.poll(() => pidOf(address).catch(() => before)).not.toBe(before);
  expect(output()).toContain('gateway ended (exit code 5)');

  const pidFile = path.join(dataDir, 'postgres/cluster/postmaster.pid');
  const pidLines = () => readFileSync(pidFile, 'utf8').split('\n');
  const [pid, , , port] = pidLines();
  process.kill(Number(pid), 'SIGKILL');
  await expect.poll(() => existsSync(pidFile) && pidLines()[0] !== pid && pidLines()[7]?.trim()).toBe('ready');
  expect(pidLines()[3]).toBe(port);
});

interface TargetGroup {
  targets: string[];
  labels: { service: string };
}

const targetsFile = () => path.join(dataDir, 'metrics-targets.json');
const targets = () => {
  const groups = JSON.parse(readFileSync(targetsFile(), 'utf8')) as TargetGroup[];
  return Object.fromEntries(groups.map(({ targets: [target], labels }) => [labels.service, target as string]));
};

longTest(
  'stores where the metrics of each service are, also after a restart, and removes that when it ends',
  async () => {
    const { child, output, ready, ended } = start();
    await ready;
    expect(output()).toContain(targetsFile());
    const before = targets();
    expect(Object.keys(before)).toEqual(['flags', 'events', 'integrations', 'signals', 'accounts', 'gateway']);
    const pids = await Promise.all(Object.values(before).map((target) => pidOf(`http://${target}`)));
    expect(new Set(pids).size).toBe(6);

    await fetch(`http://${before.signals}/die`).catch(() => {});
    await expect.poll(() => targets().signals).not.toBe(before.signals);
    expect(targets()).toEqual({ ...before, signals: expect.any(String) });
    await expect.poll(() => pidOf(`http://${targets().signals}`).catch(() => pids[3])).not.toBe(pids[3]);
    child.kill('SIGTERM');
    await ended;
    expect(existsSync(targetsFile())).toBe(false);
  },
);

/** Six ports in a row that are free. */
async function freeRange(): Promise<number> {
  for (;;) {
    const first = await freePort();
    const problems = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => findListenError(first + index, '127.0.0.1')));
    if (problems.every((problem) => problem === undefined)) return first;
  }
}

longTest('gives the services the ports from HEALTH_PORT on, also after a restart', async () => {
  const first = await freeRange();
  const { ready } = start({ HEALTH_PORT: String(first), HEALTH_HOST: 'localhost' });
  await ready;
  const names = ['flags', 'events', 'integrations', 'signals', 'accounts', 'gateway'];
  const expected = Object.fromEntries(names.map((name, index) => [name, `localhost:${first + index}`]));
  expect(targets()).toEqual(expected);
  const flags = `http://localhost:${first}`;
  const before = await pidOf(flags);
  await fetch(`${flags}/die`).catch(() => {});
  await expect.poll(() => pidOf(flags).catch(() => before)).not.toBe(before);
  expect(targets()).toEqual(expected);
});

longTest('reports a health port that cannot be used before it starts anything', async () => {
  const first = await freeRange();
  const server = createServer().listen(first + 4, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const taken = start({ HEALTH_PORT: String(first) });
  expect(await taken.ended).toBe(1);
  expect(taken.output()).toContain(`${first} to ${first + 5}, and ${first + 4} on HEALTH_HOST 127.0.0.1 cannot be`);
  server.close();
  const same = start({ HEALTH_PORT: String(first), PORT: String(first + 5) });
  expect(await same.ended).toBe(1);
  expect(same.output()).toContain('and PORT is one of them');
  expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false);
});

longTest('stops services and servers when it is killed, and can start again at once', async () => {
  const first = start();
  await first.ready;
  first.child.kill('SIGKILL');
  const second = start();
  await second.ready;
  await expect.poll(ends).toHaveLength(6);
  expect(ends()).toContain('gateway left alone');
});

test('refuses a second start on the same data folder and names the process that owns it', async () => {
  const first = start({ PORT: String(await freePort()) });
  const address = await first.ready;
  const second = start();
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain(`process ${first.child.pid}, ${address}`);
  expect((await fetch(address)).status).toBe(200);
});

longTest('reports that PORT is in use before it starts anything', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const { output, ended } = start({ PORT: String(port) });
  expect(await ended).toBe(1);
  expect(output()).toContain(`PORT ${port} is taken on 127.0.0.1`);
  expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false);
  server.close();
});

test('reports every setting that a service would refuse before it makes anything', async () => {
  const { output, ended } = start({ INIT_ADMIN_API_TOKENS: 'hush', UNLEASH_DEFAULT_ADMIN_PASSWORD: 'hush' });
  expect(await ended).toBe(1);
  expect(output()).toContain('INIT_ADMIN_API_TOKENS: entry 1 should have the shape');
  expect(output()).toContain('UNLEASH_DEFAULT_ADMIN_PASSWORD: ');
  expect(output()).not.toContain('hush');
  expect(existsSync(dataDir)).toBe(false);
});

longTest('does not print at a later start that the password is the configured one', async () => {
  const given = { UNLEASH_DEFAULT_ADMIN_PASSWORD: 'Giv3n!password' };
  const outputs = [];
  while (outputs.length < 2) {
    const { child, output, ready, ended } = start(given);
    await ready;
    outputs.push(output());
    child.kill('SIGTERM');
    await ended;
  }
  expect(outputs[0]).toContain('with the password from UNLEASH_DEFAULT_ADMIN_PASSWORD');
  expect(outputs[1]).toContain('as before');
});

longTest('reports that Postgres or NATS cannot be used, without the password', async () => {
  const unusedPort = await freePort();
  const postgres = start({ DATABASE_URL: `postgres://me:hush@127.0.0.1:${unusedPort}/x` });
  expect(await postgres.ended).toBe(1);
  expect(postgres.output()).toContain(
    `(postgres://me:***@127.0.0.1:${unusedPort}/x) cannot be used: no server listens there`,
  );
  const nats = start({ NATS_URL: `nats://me:hush@127.0.0.1:${unusedPort}` });
  expect(await nats.ended).toBe(1);
  expect(nats.output()).toContain(`(nats://me:***@127.0.0.1:${unusedPort}) cannot be used: no server listens there`);
});

longTest('reports that the data folder cannot be used, and leaves it as it was', async () => {
  const file = path.join(folder, 'file');
  writeFileSync(file, '', { mode: 0o644 });
  const { output, ended } = start({ YARDARM_DATA_DIR: file });
  expect(await ended).toBe(1);
  expect(output()).toContain('cannot be used');
  expect(output()).toContain('set YARDARM_DATA_DIR');
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

longTest('does not change the mode of a folder of other files', async () => {
  mkdirSync(dataDir, { mode: 0o755 });
  writeFileSync(path.join(dataDir, 'other'), '');
  await start().ready;
  expect(statSync(dataDir).mode & 0o777).toBe(0o755);
  expect(statSync(path.join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600);
});

longTest('prints the output of the migration when it fails', async () => {
  buildStandInInstallation(folder, `console.error('schema flags is newer than this program'); process.exit(3);`);
  const { output, ended } = start();
  expect(await ended).toBe(1);
  expect(output()).toContain('schema flags is newer than this program');
});

longTest('fails when a service cannot start, and prints its name and the end of its log', async () => {
  writeFileSync(path.join(folder, 'services/signals/main.ts'), `console.log('no such stream'); process.exit(9);`);
  const { output, ended } = start();
  expect(await ended).toBe(1);
  expect(output()).toContain('signals does not come up');
  expect(output()).toContain('no such stream');
});

longTest('ends cleanly on SIGTERM during the start', async () => {
  buildStandInInstallation(folder, 'await new Promise((resolve) => setTimeout(resolve, 1_000));');
  const { child, output, ended } = start();
  await expect.poll(output).toContain('Starting Yardarm');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(existsSync(path.join(folder, 'ends'))).toBe(false);
});
