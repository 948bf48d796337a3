// Clients that run on while a process behind them is killed and started again. Each sees the next flip of a flag.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, type ClientOptions, startClients, startNodeSdks } from './clients.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

const features = '/api/admin/projects/default/features';
const flag = 'flipped';

/** Every client polls in this time, and one that streams tries to connect again, after 2 s at most. */
const downMs = 3_000;

/** The gateway takes tokens from memory for 25 s, and then asks accounts. */
const accountsDownMs = 27_000;

/**
 * The longest pause of a client is that of unleash-client between two attempts to stream: it doubles up to 30 s. The
 * others poll again within 11 s: unleash-client waits up to ten intervals more after answers of 503. The rest is for a
 * busy machine.
 */
const seenLimitMs = 60_000;

/** A process starts in seconds, on a busy machine in ten. */
const startLimitMs = 60_000;

let yardarm: Yardarm;
let options: ClientOptions;
let clients: Client[] = [];
let isOn = false;

beforeAll(async () => {
  yardarm = await startYardarm();
  const token = async (type: 'client' | 'frontend') => {
    const body = { tokenName: type, type, environment: 'development', projects: ['*'] };
    return (await yardarm.call('POST', '/api/admin/api-tokens', body)).secret as string;
  };
  await yardarm.call('POST', features, { name: flag });
  options = {
    ...{ url: yardarm.url(), flag, folder: yardarm.servers.folder },
    ...{ clientToken: await token('client'), frontendToken: await token('frontend') },
  };
  clients = await startClients(options);
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.stop()));
  await yardarm?.stop();
});

async function killAndStart(service: 'gateway' | 'flags' | 'accounts', during: () => Promise<unknown>): Promise<void> {
  const replicas = yardarm.replicasOf(service);
  await Promise.all(replicas.map((replica) => replica.stop()));
  await during();
  await Promise.all(replicas.map((replica) => replica.start()));
}

async function killAndStartNats(during: () => Promise<unknown>): Promise<void> {
  await yardarm.servers.killNats();
  await during();
  await yardarm.servers.startNats();
}

/** Repeats the call until it succeeds, because services are ready some seconds after their start. */
async function flip(): Promise<void> {
  const path = `${features}/${flag}/environments/development/${isOn ? 'off' : 'on'}`;
  await eventually(() => yardarm.call('POST', path), startLimitMs);
  isOn = !isOn;
}

/** Waits until each of the clients shows the flag as it is, and prints how long the slowest needed. */
async function untilSeen(by: readonly Client[] = clients): Promise<void> {
  const startedAt = performance.now();
  const seen = await Promise.all(
    by.map(async ({ name, shows }) => {
      await eventually(async () => expect([name, await shows()]).toEqual([name, isOn]), seenLimitMs);
      return { name, seconds: (performance.now() - startedAt) / 1_000 };
    }),
  );
  const { name, seconds } = seen.toSorted((a, b) => b.seconds - a.seconds)[0]!;
  process.stdout.write(`${name} saw it last, after ${seconds.toFixed(1)} s\n`);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('while nothing is killed, every client sees a flip', async () => {
  await flip();
  await untilSeen();
});

const killAndStartOf = (service: 'gateway' | 'flags' | 'accounts') => (during: () => Promise<unknown>) =>
  killAndStart(service, during);

test.each([
  { part: 'the gateway', outage: killAndStartOf('gateway'), ms: downMs },
  { part: 'flags', outage: killAndStartOf('flags'), ms: downMs },
  { part: 'accounts', outage: killAndStartOf('accounts'), ms: accountsDownMs },
  { part: 'NATS', outage: killAndStartNats, ms: downMs },
])('while $part is killed, every client keeps the flag, and sees the next flip', async ({ part, outage, ms }) => {
  await outage(async () => {
    await pause(ms);
    await untilSeen(part === 'the gateway' ? clients.filter(({ hasMemory }) => hasMemory) : clients);
  });
  await flip();
  await untilSeen();
});

test('a gateway that is started without the others serves the copy, is ready, and catches up', async () => {
  const [gateway] = yardarm.replicasOf('gateway');
  const diskCopy = () => readFileSync(path.join(gateway!.dataFolder, 'sdk-copy.jsonl'), 'utf8');
  await eventually(() => expect(diskCopy()).toMatch(new RegExp(`"name":"${flag}".*"enabled":${isOn}`)));
  await killAndStartNats(() =>
    killAndStart('flags', () =>
      killAndStart('accounts', async () => {
        await killAndStart('gateway', async () => {});
        await eventually(async () => expect(await gateway!.isReady()).toBe(true), startLimitMs);
        const late = await Promise.all(startNodeSdks(options));
        clients.push(...late);
        await untilSeen();
      }),
    ),
  );
  await flip();
  await untilSeen();
});
