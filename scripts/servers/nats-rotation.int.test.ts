// Proves on a real server that the passwords of NATS change in the order of docs/operating.md without a failed request
// and without a lost connection, and that a process finds the other line of its file when its user is refused.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { loginsOf } from '@yardarm/shared/config';
import { listRevisions } from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { findNats } from './nats-binary.js';
import { natsUsersFile } from './nats-users.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-rotation-'));
const place = (name: string) => path.join(folder, name);
const log = createLogger({ service: 'test', level: 'silent' });
let server: ChildProcess;
let address: string;
const passwords: Record<string, string> = {};

/** Writes the passwords that differ from the name of their variable. */
function writePasswords(changes: Record<string, string>): void {
  Object.assign(passwords, changes);
  const variables = ['GATEWAY', 'FLAGS', 'EVENTS', 'INTEGRATIONS', 'SIGNALS', 'ACCOUNTS'].flatMap((service) => [
    `${service}_NATS_PASSWORD`,
    `${service}_NATS_PASSWORD_2`,
  ]);
  const lines = variables.map((name) => `${name}: "${passwords[name] ?? name}"\n`);
  writeFileSync(place('passwords.conf'), lines.join(''));
}

const urlOf = (user: string, password: string) => `nats://${user}:${password}@${address}`;

beforeAll(async () => {
  const program = await findNats(() => {});
  if (program.kind !== 'program') throw new Error('The test sends signals to a nats-server of this machine.');
  address = `127.0.0.1:${await freePort()}`;
  writePasswords({});
  writeFileSync(place('users.conf'), natsUsersFile('', { hasSecondUsers: true, passwordsFile: 'passwords.conf' }));
  writeFileSync(
    place('nats.conf'),
    `listen: "${address}"\njetstream { store_dir: "${place('store')}" }\ninclude "users.conf"\n`,
  );
  server = spawn(program.file, ['-c', place('nats.conf')], { stdio: 'ignore' });
  await eventually(async () => (await connectAs('gateway', [urlOf('gateway', 'GATEWAY_NATS_PASSWORD')])).drain());
});
afterAll(async () => {
  server?.kill('SIGKILL');
  if (server?.exitCode === null) await once(server, 'exit');
  rmSync(folder, { recursive: true });
});

async function connectAs(name: string, urls: string[]): Promise<Bus> {
  const file = place(`${name}-${Math.random()}`);
  writeFileSync(file, urls.join('\n'));
  const signal = AbortSignal.timeout(20_000);
  return connectBus({ url: urls[0]!, logins: loginsOf(urls[0]!, file), name, prefix: '', log, signal });
}

/** Reloads the configuration. Returns when the server accepts the login. */
async function reloadUntilAccepted(user: string, password: string): Promise<void> {
  server.kill('SIGHUP');
  const bus = await connectAs('flags', [urlOf(user, password)]);
  await bus.drain();
}

async function startReplica(urls: string[]) {
  const bus = await connectAs('flags', urls);
  bus.serve(listRevisions, async () => ({ epoch: 'one', environments: {}, featureTypes: [] }));
  await bus.flush();
  return bus;
}

/** Sends requests one after another until it is stopped. Returns how many were answered, and the failures. */
function startTraffic(bus: Bus) {
  let isStopped = false;
  const failures: unknown[] = [];
  let answered = 0;
  const context = () => ({
    ...{ requestId: 'rotation', traceparent: null, actor: null, deadline: Date.now() + 10_000 },
  });
  const traffic = (async () => {
    while (!isStopped) {
      await bus.request(listRevisions, {}, context()).then(
        () => {
          answered += 1;
        },
        (error: unknown) => void failures.push(error),
      );
    }
  })();
  return {
    failures,
    more: async () => {
      const before = answered;
      await eventually(() => expect(answered).toBeGreaterThan(before + 20));
    },
    async stop() {
      isStopped = true;
      await traffic;
    },
  };
}

test('a password changes between two users while requests are answered, and none fails', async () => {
  const gateway = await connectAs('gateway', [urlOf('gateway', 'GATEWAY_NATS_PASSWORD')]);
  const before = await startReplica([urlOf('flags', 'FLAGS_NATS_PASSWORD')]);
  const traffic = startTraffic(gateway);
  await traffic.more();

  writePasswords({ FLAGS_NATS_PASSWORD_2: 'fresh' });
  await reloadUntilAccepted('flags-2', 'fresh');
  await traffic.more();
  const after = await startReplica([urlOf('flags-2', 'fresh'), urlOf('flags', 'FLAGS_NATS_PASSWORD')]);
  await before.drain();
  await traffic.more();
  writePasswords({ FLAGS_NATS_PASSWORD: 'retired' });
  await reloadUntilAccepted('flags', 'retired');
  await traffic.more();

  await traffic.stop();
  expect(traffic.failures).toEqual([]);
  await after.drain();
  await gateway.drain();
});

test('a process whose user is refused connects with the other line of its file', async () => {
  const flags = await connectAs('flags', [
    urlOf('flags', 'unknown'),
    'nats://a-line-that-is:no-address',
    urlOf('flags-2', passwords.FLAGS_NATS_PASSWORD_2!),
  ]);
  expect(flags.state().connected).toBe(true);
  writePasswords({ FLAGS_NATS_PASSWORD: 'unknown', FLAGS_NATS_PASSWORD_2: 'gone' });
  server.kill('SIGHUP');
  await eventually(() => expect(flags.state().connected).toBe(false));
  await eventually(() => expect(flags.state().connected).toBe(true));
  await flags.drain();
});
