// What a gateway holds and needs, by the groups of its routes: over a real bus, with stand-ins for other services.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { resolveToken } from '@yardarm/shared/contracts/accounts';
import { fetchSnapshot, listRevisions } from '@yardarm/shared/contracts/flags';
import { getSignalsLimits } from '@yardarm/shared/contracts/signals';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { loadGatewayConfig } from './config.ts';
import { type RunningGateway, startGateway } from './service.ts';
import { snapshotChange } from './testing/snapshots.ts';

let prefix: string;
let folder: string;
let warnings: string[];
let asked: Record<'revisions' | 'snapshots', number>;
let others: Bus[];
let gateways: RunningGateway[];

const log = createLogger({
  service: 'test',
  level: 'warn',
  destination: { write: (line: string) => void warnings.push(JSON.parse(line).msg) },
});

beforeEach(async () => {
  prefix = `t${randomBytes(6).toString('hex')}`;
  folder = await mkdtemp(join(tmpdir(), 'yardarm-groups-'));
  await writeFile(join(folder, 'sdk-copy.jsonl'), 'not a copy\n');
  warnings = [];
  asked = { revisions: 0, snapshots: 0 };
  others = [];
  gateways = [];
});

afterEach(async () => {
  await Promise.all(gateways.map(stop));
  await Promise.all(others.map((bus) => bus.drain()));
  await rm(folder, { recursive: true });
});

async function start(groups: string, natsUrl = inject('natsUrl')): Promise<RunningGateway> {
  const gateway = await startGateway(
    loadGatewayConfig({
      ...{ NATS_URL: natsUrl, YARDARM_PREFIX: prefix, PORT: '0' },
      ...{ YARDARM_DATA_DIR: folder, GATEWAY_ROUTE_GROUPS: groups },
    }),
    log,
    { intervals: { drainNoticeMs: 0 } },
  );
  gateways.push(gateway);
  return gateway;
}

async function stop(gateway: RunningGateway): Promise<void> {
  gateways = gateways.filter((each) => each !== gateway);
  await gateway.drain();
  await gateway.stop();
}

async function connect(name: string): Promise<Bus> {
  const bus = await connectBus({ url: inject('natsUrl'), prefix, log, name });
  others.push(bus);
  return bus;
}

async function startFlags(): Promise<void> {
  const flags = await connect('flags');
  flags.serve(listRevisions, async () => {
    asked.revisions += 1;
    return { epoch: 'epoch-one', environments: { development: { default: 1 } }, featureTypes: [] };
  });
  flags.serve(fetchSnapshot, async () => {
    asked.snapshots += 1;
    return snapshotChange({ isWhole: true }) as never;
  });
  await flags.flush();
}

async function startAccounts(): Promise<void> {
  const accounts = await connect('accounts');
  accounts.serve(resolveToken, async () => ({ token: null }));
  await accounts.flush();
}

async function startSignals(): Promise<Bus> {
  const signals = await connect('signals');
  signals.serve(getSignalsLimits, async () => ({
    ...{ signalEndpoints: 5, signalTokensPerEndpoint: 5, actionSetActions: 10, actionSetsPerProject: 5 },
    ...{ actionSetFilters: 5, actionSetFilterValues: 25 },
  }));
  await signals.flush();
  return signals;
}

async function ready({ port }: RunningGateway) {
  const answer = await fetch(`http://127.0.0.1:${port}/ready`);
  return { status: answer.status, body: await answer.json() };
}

const whole = { status: 200, body: { health: 'GOOD' } };

test.each([
  ['console', { asksFlags: false, fetchesFlags: false, opensCopy: false }],
  ['signals', { asksFlags: false, fetchesFlags: false, opensCopy: false }],
  ['admin', { asksFlags: true, fetchesFlags: false, opensCopy: false }],
  ['sdk', { asksFlags: true, fetchesFlags: true, opensCopy: true }],
  ['admin,sdk,signals,console', { asksFlags: true, fetchesFlags: true, opensCopy: true }],
])('with the routes of %s it does %j', async (groups, expected) => {
  await Promise.all([startFlags(), startSignals(), startAccounts()]);
  const gateway = await start(groups);
  await eventually(async () => expect(await ready(gateway)).toEqual(whole));
  await gateway.processAll();
  await stop(gateway);
  expect({
    asksFlags: asked.revisions > 0,
    fetchesFlags: asked.snapshots > 0,
    opensCopy: warnings.includes('the copy for SDKs is ignored'),
  }).toEqual(expected);
});

test('with the routes of signals alone it is ready while NATS and signals answer, whatever flags does', async () => {
  const gateway = await start('signals');
  await eventually(async () =>
    expect(await ready(gateway)).toEqual({
      status: 503,
      body: { health: 'BAD', parts: { bus: null, accounts: null, signals: expect.stringContaining('signals') } },
    }),
  );
  const signals = await startSignals();
  await eventually(async () => expect(await ready(gateway)).toEqual(whole));
  await signals.drain();
  others = [];
  await eventually(async () => expect((await ready(gateway)).status).toBe(503), 10_000);
});

test.each(['signals', 'admin', 'console'])(
  'with the routes of %s alone it is not ready without NATS',
  async (groups) => {
    const gateway = await start(groups, 'nats://127.0.0.1:9');
    expect(await ready(gateway)).toMatchObject({
      status: 503,
      body: { parts: { bus: 'not connected to NATS: connection refused' } },
    });
  },
);

test('without the routes of SDKs it is ready while flags is away, since other services answer', async () => {
  const gateway = await start('admin,signals');
  const snapshots = { degraded: expect.stringContaining('flags') };
  await eventually(async () =>
    expect(await ready(gateway)).toEqual({
      status: 200,
      body: { health: 'GOOD', parts: { bus: null, snapshots, accounts: null } },
    }),
  );
});
