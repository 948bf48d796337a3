// Gateways that start while NATS is away: SDKs read the copy of an earlier gateway, until the others are back.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadGatewayConfig } from '@yardarm/gateway/config';
import { type RunningGateway, startGateway } from '@yardarm/gateway/service';
import { createLogger } from '@yardarm/shared/log';
import { eventually, longTest, openEventStream, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../scripts/servers/free-port.ts';

const flags = '/api/admin/projects/default/features';
const log = createLogger({ service: 'gateway', level: 'error' });
let system: TestSystem;
let folder: string;
let natsPort: number;
let gateway: RunningGateway;
let url: string;
let natsDoor: Server | null = null;
const sockets = new Set<Socket>();

/** Lets the gateway reach NATS. */
async function openNats(): Promise<void> {
  const { hostname, port } = new URL(system.natsUrlOf('gateway'));
  natsDoor = createServer((inner) => {
    const outer = connect(Number(port), hostname);
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => sockets.delete(socket));
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => natsDoor!.listen(natsPort, '127.0.0.1', resolve));
}

async function closeNats(): Promise<void> {
  const closed = new Promise((resolve) => (natsDoor === null ? resolve(null) : natsDoor.close(resolve)));
  for (const socket of sockets) socket.destroy();
  await closed;
  natsDoor = null;
}

async function start(): Promise<void> {
  const natsUrl = new URL(system.natsUrlOf('gateway'));
  natsUrl.host = `127.0.0.1:${natsPort}`;
  const settings = {
    ...{ NATS_URL: natsUrl.href, YARDARM_PREFIX: system.prefix, PORT: '0', YARDARM_DATA_DIR: folder },
  };
  gateway = await startGateway(loadGatewayConfig(settings), log, { intervals: { drainNoticeMs: 0 } });
  url = `http://127.0.0.1:${gateway.port}`;
}

async function stop(): Promise<void> {
  await gateway.drain();
  await gateway.stop();
}

const isWhole = () =>
  eventually(async () => expect(await gateway.health()).toEqual({ bus: null, snapshots: null, accounts: null }));

const read = (token: string, headers: Record<string, string> = {}) =>
  system.call('GET', '/api/client/features', { url, token, headers });

async function createToken(part: object = {}): Promise<string> {
  const body = { tokenName: 'sdk', type: 'client', environment: 'development', projects: ['*'], ...part };
  return (await system.call('POST', '/api/admin/api-tokens', { body })).body.secret;
}

beforeAll(async () => {
  system = await startSystem();
  await system.call('POST', flags, { body: { name: 'before' } });
  natsPort = await freePort();
});
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-copy-'));
  await openNats();
  await start();
  await isWhole();
});
afterEach(async () => {
  await stop();
  await closeNats();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => system?.stop());

/** Restarts the gateway without NATS, after SDKs have read with the tokens. */
async function restartWithoutNats(...tokens: string[]): Promise<string> {
  await system.processAll();
  await gateway.processAll();
  let etag = '';
  for (const token of tokens) {
    const { status, headers } = await read(token);
    expect(status).toBe(200);
    etag = headers.get('etag')!;
  }
  await stop();
  await closeNats();
  await start();
  return etag;
}

test('a gateway without NATS serves the copy, is ready, and catches up', async () => {
  const token = system.clientTokens.development;
  const etag = await restartWithoutNats(token);
  expect((await read(token, { 'if-none-match': etag })).status).toBe(304);
  const listing = await read(token);
  expect(listing.body.features).toMatchObject([{ name: 'before' }]);
  expect(listing.headers.get('etag')).toBe(etag);
  expect((await system.call('GET', '/api/client/features/before', { url, token })).status).toBe(200);
  const stream = await openEventStream(`${url}/api/client/streaming`, { authorization: token });
  expect((await stream.waitFor(1)).event).toBe('unleash-connected');

  const ready = await system.call('GET', '/ready', { url, token: null });
  const degraded = { degraded: expect.any(String) };
  expect(ready).toMatchObject({ status: 200, body: { health: 'GOOD', parts: { bus: degraded, snapshots: degraded } } });
  expect((await system.call('GET', '/health', { url, token: null })).status).toBe(200);

  // Neither can be checked, nor is the environment of the other token in the copy.
  for (const unknown of [system.clientTokens.production, '*:development.unknown']) {
    const refused = await read(unknown);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  }
  expect((await system.call('GET', '/api/admin/projects', { url })).status).toBe(503);
  expect((await system.call('GET', '/api/client/features', { url, token: null })).status).toBe(401);

  await system.call('POST', flags, { body: { name: 'meanwhile' } });
  await openNats();
  await isWhole();
  expect((await read(token)).body.features.map(({ name }: { name: string }) => name)).toEqual(['before', 'meanwhile']);
  expect(JSON.stringify((await stream.waitFor(2)).data)).toContain('meanwhile');
  stream.close();
  expect((await read(system.clientTokens.production)).status).toBe(200);
  expect((await read('*:development.unknown')).status).toBe(401);
  expect((await system.call('GET', '/ready', { url, token: null })).body).toEqual({ health: 'GOOD' });
  await system.call('DELETE', `${flags}/meanwhile`);
});

test('a token that was revoked meanwhile is refused when NATS is back, and leaves the copy', async () => {
  const [used, unused] = [await createToken(), await createToken()];
  await restartWithoutNats(used, unused);
  for (const token of [used, unused]) await system.call('DELETE', `/api/admin/api-tokens/${token}`);
  expect((await read(used)).status).toBe(200);
  await openNats();
  await isWhole();
  expect((await read(used)).status).toBe(401);
  // The gateway asks for the other by itself.
  await eventually(async () => {
    await gateway.processAll();
    expect(readFileSync(path.join(folder, 'sdk-copy.jsonl'), 'utf8')).not.toContain('"token"');
  });
});

longTest('an expired token is refused without NATS', async () => {
  const expiresAt = new Date(Date.now() + 4_000).toISOString();
  const [lasting, expiring] = [await createToken(), await createToken({ expiresAt })];
  await restartWithoutNats(lasting, expiring);
  await eventually(async () => expect((await read(expiring)).status).toBe(401));
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  expect((await read(lasting)).status).toBe(200);
});

test('a gateway without NATS and without a copy is not ready', async () => {
  await stop();
  await closeNats();
  rmSync(folder, { recursive: true, force: true });
  await start();
  const ready = await system.call('GET', '/ready', { url, token: null });
  expect(ready).toMatchObject({ status: 503, body: { health: 'BAD', parts: { bus: expect.any(String) } } });
  expect((await read(system.clientTokens.development)).status).toBe(503);
});

// The last test: accounts stays away.
test('a gateway that starts without accounts serves the copy, and says so', async () => {
  const token = await createToken();
  expect((await read(token)).status).toBe(200);
  await stop();
  await system.stopService('accounts');
  await start();
  expect((await read(token)).status).toBe(200);
  const accounts = { degraded: expect.stringContaining('accounts') };
  await eventually(async () => {
    const ready = await system.call('GET', '/ready', { url, token: null });
    const parts = { bus: null, snapshots: null, accounts };
    expect(ready).toMatchObject({ status: 200, body: { health: 'GOOD', parts } });
  });
});
