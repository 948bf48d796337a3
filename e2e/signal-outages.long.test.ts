// Signals whose Postgres is gone or hangs, and a gateway that gets no hints: what senders are answered meanwhile, and
// that everything goes on afterwards.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connectBus } from '@yardarm/shared/bus';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { loadSignalsConfig } from '@yardarm/signals/config';
import { startSignals } from '@yardarm/signals/service';
import { type CallOptions, eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let signals: RunningService;
let postgres: Awaited<ReturnType<typeof startProxy>>;

/** Passes connections on to a server. */
async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  let state: 'open' | 'gone' | 'hanging' = 'open';
  let pairs: [Socket, Socket][] = [];
  const endAll = () => {
    for (const socket of pairs.flat()) socket.destroy();
    pairs = [];
  };
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    for (const socket of [incoming, outgoing]) socket.on('error', () => {});
    pairs.push([incoming, outgoing]);
    if (state === 'gone') endAll();
    if (state === 'open') incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Ends the connections, and refuses new ones. */
    vanish() {
      state = 'gone';
      endAll();
    },
    /** Accepts connections and passes nothing on. */
    hang() {
      state = 'hanging';
      for (const [one, other] of pairs) {
        one.unpipe(other).pause();
        other.unpipe(one).pause();
      }
    },
    restore() {
      state = 'open';
      endAll();
    },
    stop() {
      endAll();
      server.close();
    },
  };
}

beforeAll(async () => {
  system = await startSystem({ UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '20', REQUEST_TIMEOUT_MS: '2000' });
  await system.stopService('signals');
  postgres = await startProxy(system.database.urlFor('signals'));
  const config = loadSignalsConfig({
    ...{ NATS_URL: system.natsUrlOf('signals'), YARDARM_PREFIX: system.prefix, DATABASE_URL: postgres.url },
    UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '20',
  });
  signals = await startSignals(config, createLogger({ service: 'signals', level: 'silent' }));
});
afterAll(async () => {
  postgres?.restore();
  await signals?.drain();
  await signals?.stop();
  postgres?.stop();
  await system?.stop();
});

let endpoints = 0;

async function makeSender(ratePerSecond: number) {
  endpoints += 1;
  const name = `endpoint-${endpoints}`;
  const { body } = await system.call('POST', '/api/admin/signal-endpoints', { body: { name, ratePerSecond } });
  const tokens = `/api/admin/signal-endpoints/${body.id}/tokens`;
  const newToken = async (of: string) => (await system.call('POST', tokens, { body: { name: of } })).body;
  const { id: tokenId, token } = await newToken('first');
  const path = `/api/signal-endpoint/${name}`;
  const send = (options: CallOptions & { key?: string } = {}) => {
    const headers: Record<string, string> = options.key === undefined ? {} : { 'idempotency-key': options.key };
    return system.call('POST', path, { token: `Bearer ${token}`, body: {}, headers, ...options });
  };
  const read = () => system.call('GET', `${path}/signals/1`, { token: `Bearer ${token}` });
  const countStored = async () =>
    (await system.database.rows('select from signals.signals where endpoint_id = $1', [body.id])).length;
  return { ...{ send, read, countStored, newToken }, deleteToken: () => system.call('DELETE', `${tokens}/${tokenId}`) };
}

test.each([
  ['is gone', 5, () => postgres.vanish()],
  ['is gone', 1_000, () => postgres.vanish()],
  ['hangs', 5, () => postgres.hang()],
  ['hangs', 1_000, () => postgres.hang()],
])('while Postgres %s a sender at %i a second gets 503 with Retry-After', async (_title, rate, fail) => {
  const sender = await makeSender(rate);
  const { token } = await sender.newToken('never seen');
  await eventually(async () => expect((await sender.send({ key: 'before' })).status).toBe(200));
  fail();
  // The admissions of a block are used up, or end after 50 ms.
  await eventually(async () => expect((await sender.send({ key: 'new' })).status).toBe(503));
  const refusals = await Promise.all([
    ...[sender.send(), sender.send({ key: 'new' }), sender.send({ token: `Bearer ${token}` }), sender.read()],
  ]);
  for (const { status, body, headers } of refusals) {
    expect([status, body.name, headers.get('retry-after')]).toEqual([503, 'UnavailableError', '1']);
  }
  postgres.restore();
  await eventually(async () => expect((await sender.send({ key: 'new' })).status).toBe(200));
  await eventually(async () => expect((await sender.send({ key: 'before' })).status).toBe(200));
  // What was refused was not accepted, except by a block that was left.
  await eventually(async () => expect(await sender.countStored()).toBeGreaterThanOrEqual(2));
  if (rate <= 10) expect(await sender.countStored()).toBe(2);
});

test('without hints a deleted token is refused within 30 s, also for a key in memory', async () => {
  const url = await system.addGateway({
    connectBus: async (options) => {
      const bus = await connectBus(options);
      return { ...bus, onHint: (hint, handler) => !hint.name.startsWith('signals.') && bus.onHint(hint, handler) };
    },
  });
  const sender = await makeSender(5);
  const again = async () => (await sender.send({ key: 'known', url })).status;
  expect(await again()).toBe(200);
  await sender.deleteToken();
  expect(await again()).toBe(200);
  await eventually(async () => expect(await again()).toBe(401), 30_000);
});
