// SDKs beyond the limit of streams: they poll, and stream when a stream is free.
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metrics } from '@yardarm/shared/telemetry';
import { type EventStream, eventually, openEventStream, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const flag = '/api/admin/projects/default/features/flipped';
let system: TestSystem;
let token: string;
let occupied: EventStream;
/** Passes requests on to the gateway. It holds polls, and refuses streams itself, while a test says so. */
let door: Server;
let held: Promise<void> | null = null;
let release = () => {};
let isRefusing = false;
const started: Unleash[] = [];

beforeAll(async () => {
  system = await startSystem({ SDK_STREAM_LIMIT: '1' });
  token = system.clientTokens.development;
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'flipped' } });
  door = createServer(async (request, response) => {
    if (request.url!.includes('/streaming') && isRefusing) return void response.writeHead(429).end();
    if (!request.url!.includes('/streaming')) await held;
    const { method, headers } = request;
    const passed = httpRequest(system.url + request.url, { method: method!, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
  }).listen(0, '127.0.0.1');
});
beforeEach(async () => {
  await switchFlag(false);
  occupied = await openStream();
  expect(occupied.status).toBe(200);
});
afterEach(async () => {
  isRefusing = false;
  release();
  for (const sdk of started.splice(0)) sdk.destroy();
  occupied.close();
  await eventually(async () => expect(await countStreams()).toBe(0));
});
afterAll(async () => {
  door?.closeAllConnections();
  door?.close();
  await system?.stop();
});

const openStream = () => openEventStream(`${system.url}/api/client/streaming`, { authorization: token });

async function countStreams(): Promise<number> {
  const { values } = await metrics.getSingleMetric('yardarm_gateway_sdk_streams')!.get();
  return values[0]!.value;
}

function hold(): void {
  held = new Promise((resolve) => {
    release = () => {
      held = null;
      resolve();
    };
  });
}

async function switchFlag(isOn: boolean): Promise<void> {
  await system.call('POST', `${flag}/environments/development/${isOn ? 'on' : 'off'}`);
  await system.processAll();
}

function start(refreshInterval?: number): Unleash {
  const sdk = new Unleash({
    ...{ url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/api`, appName: 'test', disableMetrics: true },
    ...{ customHeaders: { Authorization: token }, storageProvider: new InMemStorageProvider() },
    ...{ skipInstanceCountWarning: true, experimentalMode: { type: 'streaming' } },
    ...(refreshInterval !== undefined && { refreshInterval }),
  });
  started.push(sdk);
  sdk.on('error', () => undefined);
  return sdk;
}

const modeOf = (sdk: Unleash) => (sdk as unknown as { repository: { getMode(): string } }).repository.getMode();

test('a new SDK with its default settings has flags at once', async () => {
  const sdk = start();
  // Much earlier than the second poll, after 15 s.
  await eventually(() => expect(sdk.isSynchronized()).toBe(true), 5_000);
  expect(sdk.getFeatureToggleDefinitions()).toMatchObject([{ name: 'flipped', enabled: false }]);
});

test('an SDK polls while no stream is free, and then streams', async () => {
  const sdk = start(200);
  await eventually(() => expect(sdk.isSynchronized()).toBe(true));
  await switchFlag(true);
  await eventually(() => expect(sdk.isEnabled('flipped')).toBe(true));
  occupied.close();
  await eventually(() => expect(modeOf(sdk)).toBe('streaming'));
  // Only the stream has the next change.
  hold();
  await switchFlag(false);
  await eventually(() => expect(sdk.isEnabled('flipped')).toBe(false));
});

test('an SDK that is told to stream and then refused has what changed meanwhile', async () => {
  const sdk = start(200);
  await eventually(() => expect(sdk.isSynchronized()).toBe(true));
  hold();
  isRefusing = true;
  await switchFlag(true);
  occupied.close();
  await eventually(async () => expect(await countStreams()).toBe(0));
  release();
  await eventually(() => expect(sdk.isEnabled('flipped')).toBe(true), 5_000);
});

test('streams of OFREP have a limit of their own, and are refused with 429 beyond it', async () => {
  const evaluated = await system.call('POST', '/ofrep/v1/evaluate/flags', { token, body: {} });
  const { requestUri } = evaluated.body.eventStreams[0].endpoint;
  const provider = await openEventStream(system.url + requestUri, {});
  expect([provider.status, await countStreams()]).toEqual([200, 2]);
  expect((await system.call('GET', requestUri, { token: null })).status).toBe(429);
  provider.close();
  await eventually(async () => expect(await countStreams()).toBe(1));
  expect((await openStream()).status).toBe(429);
});
