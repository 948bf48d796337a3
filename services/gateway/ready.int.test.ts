// When a gateway is ready for SDKs: over a real bus, with stand-ins for flags and accounts.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeToken } from '@yardarm/shared/auth';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { type ResolvedToken, resolveToken } from '@yardarm/shared/contracts/accounts';
import { fetchSnapshot, listRevisions } from '@yardarm/shared/contracts/flags';
import { defaultSettings } from '@yardarm/shared/contracts/settings';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { loadGatewayConfig } from './config.ts';
import { writeCopyFile } from './sdk/disk-copy/copy-file.ts';
import { toLines } from './sdk/disk-copy/copy-lines.ts';
import { EnvironmentSnapshot } from './sdk/snapshots/environment-snapshot.ts';
import { type RunningGateway, startGateway } from './service.ts';
import { changedFlag, snapshotChange } from './testing/snapshots.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const places = ['development', 'production'] as const;
type Place = (typeof places)[number];
const made = { development: makeToken('*:development.'), production: makeToken('*:production.') };
let prefix: string;
let folder: string;
let others: Bus[];
let gateway: RunningGateway | undefined;
/** The fetches that flags does not answer until the promise resolves. */
let held: Partial<Record<Place, PromiseWithResolvers<void>>>;

beforeEach(async () => {
  prefix = `t${randomBytes(6).toString('hex')}`;
  folder = await mkdtemp(join(tmpdir(), 'yardarm-ready-'));
  others = [];
  held = {};
});
afterEach(async () => {
  for (const each of Object.values(held)) each.resolve();
  await gateway?.drain();
  await gateway?.stop();
  gateway = undefined;
  await Promise.all(others.map((bus) => bus.drain()));
  await rm(folder, { recursive: true });
});

async function start(firstLoadMs?: number): Promise<void> {
  const settings = { NATS_URL: inject('natsUrl'), YARDARM_PREFIX: prefix, PORT: '0', YARDARM_DATA_DIR: folder };
  const intervals = { drainNoticeMs: 0, snapshotPollMs: 50, ...(firstLoadMs !== undefined && { firstLoadMs }) };
  gateway = await startGateway(loadGatewayConfig(settings), log, { intervals });
}

async function connect(name: string): Promise<Bus> {
  const bus = await connectBus({ url: inject('natsUrl'), prefix, log, name });
  others.push(bus);
  return bus;
}

async function startFlags(...holding: Place[]): Promise<void> {
  for (const place of holding) held[place] = Promise.withResolvers();
  const flags = await connect('flags');
  flags.serve(listRevisions, async () => ({
    ...{ epoch: 'epoch-one', featureTypes: [] },
    environments: { development: { default: 1 }, production: { default: 1 } },
  }));
  flags.serve(fetchSnapshot, async ({ environment }) => {
    await held[environment as Place]?.promise;
    return snapshotChange({ isWhole: true, revisions: { default: 1 }, changed: [changedFlag('one')] }) as never;
  });
  await flags.flush();
}

async function startAccounts(): Promise<void> {
  const accounts = await connect('accounts');
  accounts.serve(resolveToken, async ({ selector }) => {
    const environment = places.find((place) => made[place].selector === selector);
    return { token: environment === undefined ? null : resolved(environment) };
  });
  await accounts.flush();
}

function resolved(environment: Place): ResolvedToken {
  const { selector, hash } = made[environment];
  return {
    ...{ id: 1, kind: 'client', name: 'sdk', selector, hash, expiresAt: null },
    ...{ environment, projects: ['*'], actor: null, mustChangePassword: false },
  };
}

/** A copy with the tokens of the first environments and the flags of the second ones. */
async function writeCopy(ofTokens: readonly Place[], ofFlags: readonly Place[]): Promise<void> {
  const tokens = ofTokens.map((place) => ({ token: resolved(place), confirmedAt: Date.now() }));
  const environments = ofFlags.map((place) => {
    const snapshot = new EnvironmentSnapshot(place);
    snapshot.apply(snapshotChange({ isWhole: true, revisions: { default: 1 }, changed: [changedFlag('one')] }));
    return { snapshot, readAt: Date.now() };
  });
  await writeCopyFile(folder, toLines({ tokens, environments, settings: defaultSettings }, 1_000_000, []));
}

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`http://127.0.0.1:${gateway!.port}${path}`, { headers });
  return { status: answer.status, body: (await answer.json()) as { parts?: Record<string, unknown> } };
}

const ready = () => get('/ready');
const read = async (place: Place) => (await get('/api/client/features', { authorization: made[place].token })).status;
const whole = { status: 200, body: { health: 'GOOD' } };
const naming = (text: string) => expect.stringContaining(text);
const isReadyAs = (expected: object) => eventually(async () => expect(await ready()).toMatchObject(expected));
const notReady = (parts: object) => ({ status: 503, body: { health: 'BAD', parts } });
const degraded = (text: string) => ({
  status: 200,
  body: { health: 'GOOD', parts: { snapshots: { degraded: naming(text) } } },
});

describe('without a copy', () => {
  test('a gateway is not ready before flags has sent each environment, and names what is missing', async () => {
    await Promise.all([startFlags('production'), startAccounts()]);
    await start();
    await isReadyAs(notReady({ snapshots: naming('not loaded yet: production: flags has not sent every') }));
    expect(await Promise.all(places.map(read))).toEqual([200, 503]);
    expect((await get('/health')).status).toBe(200);
    held.production!.resolve();
    await isReadyAs(whole);
    expect(await Promise.all(places.map(read))).toEqual([200, 200]);
  });

  // Not ready is asserted above, with the default, and the moment in first-load.test.ts: here a probe may come late.
  test('an environment that cannot be loaded is named, and keeps the gateway out for a bounded time', async () => {
    await Promise.all([startFlags('production'), startAccounts()]);
    await start(500);
    await isReadyAs(degraded('not loaded yet: production'));
    expect(await Promise.all(places.map(read))).toEqual([200, 503]);
  });

  test('a gateway without any environment is not ready, however long it waits', async () => {
    await Promise.all([startFlags(...places), startAccounts()]);
    await start(0);
    await isReadyAs(notReady({ snapshots: naming('not loaded yet: development, production') }));
    held.development!.resolve();
    await isReadyAs(degraded('not loaded yet: production'));
  });

  test('a gateway is not ready before flags has answered at all', async () => {
    await startAccounts();
    await start(0);
    await isReadyAs(notReady({ snapshots: naming('no environment is loaded yet'), accounts: null }));
  });

  test('a gateway is not ready before accounts has answered, since no token is known', async () => {
    await startFlags();
    await start(0);
    await isReadyAs(notReady({ snapshots: null, accounts: naming('accounts has not answered yet') }));
    expect(await read('development')).toBe(503);
    await startAccounts();
    await isReadyAs(whole);
    expect(await read('development')).toBe(200);
  });
});

describe('with a copy', () => {
  test('a gateway is ready without flags and accounts when the copy has what its tokens read', async () => {
    await writeCopy(['development'], ['development']);
    await start();
    await isReadyAs(degraded('SDKs get the copy'));
    expect(await read('development')).toBe(200);
  });

  test('a gateway is ready while flags sends what no token of the copy reads, and names it', async () => {
    await writeCopy(['development'], ['development']);
    await Promise.all([startFlags('production'), startAccounts()]);
    await start();
    await isReadyAs(degraded('not loaded yet: production'));
    expect(await Promise.all(places.map(read))).toEqual([200, 503]);
    held.production!.resolve();
    await isReadyAs(whole);
  });

  test('a gateway whose copy lacks what a token reads is not ready before flags has sent it', async () => {
    await writeCopy(places, ['development']);
    await start();
    await isReadyAs(notReady({ snapshots: naming('not loaded yet: production') }));
    expect(await Promise.all(places.map(read))).toEqual([200, 503]);
    await Promise.all([startFlags(), startAccounts()]);
    await isReadyAs(whole);
    expect(await Promise.all(places.map(read))).toEqual([200, 200]);
  });

  test('a gateway whose copy lacks what a token reads is ready after a bounded time while flags is away', async () => {
    await writeCopy(places, ['development']);
    await start(500);
    await isReadyAs(degraded('not loaded yet: production'));
    expect(await Promise.all(places.map(read))).toEqual([200, 503]);
  });

  test('a gateway whose copy has no flags at all is not ready, however long it waits', async () => {
    await writeCopy(['development'], []);
    await start(0);
    await isReadyAs(notReady({ snapshots: naming('not loaded yet: development') }));
  });
});
