// Tests signals over a real bus and Postgres: its health, outbox and secrets. Other tests cover endpoints, tokens,
// admissions and stored signals, the HTTP surface (gateway) and the delivery of events (relay).
import { randomBytes, randomUUID } from 'node:crypto';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/signals';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { loadSignalsConfig } from './config.ts';
import { startSignals } from './service.ts';

const prefix = `t${randomBytes(6).toString('hex')}`;
const admin: Actor = { kind: 'admin-token', id: -42, username: 'root', grants: [{ permissions: ['ADMIN'] }] };
const context = (actor: Actor | null = admin): RequestContext => ({
  requestId: randomUUID(),
  actor,
  deadline: Date.now() + 10_000,
  traceparent: null,
});

let database: TestDatabase;
let owner: pg.Client;
let signals: RunningService;
let bus: Bus;
const logged: string[] = [];

async function start(
  environment: Record<string, string> = {},
  overrides: Parameters<typeof startSignals>[2] = {},
): Promise<RunningService> {
  const config = loadSignalsConfig({
    NATS_URL: inject('natsUrl'),
    DATABASE_URL: database.urlFor('signals'),
    YARDARM_PREFIX: prefix,
    SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND: '3',
    ...environment,
  });
  const destination = { write: (line: string) => void logged.push(line) };
  return startSignals(config, createLogger({ service: 'signals', level: 'trace', destination }), overrides);
}

async function rowsOf<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await owner.query<Row>(text, values)).rows;
}

const createEndpoint = (name: string, over: { enabled?: boolean; description?: string | null } = {}) =>
  bus.request(contracts.createSignalEndpoint, { name, ...over }, context());

const createToken = (signalEndpointId: number, name: string) =>
  bus.request(contracts.createSignalEndpointToken, { signalEndpointId, name }, context());

const admit = (endpointId: number) =>
  bus.request(
    contracts.takeAdmissions,
    { endpointId, tokenId: 1, wanted: 1, lifetimeMs: 50, ended: [], claim: null },
    context(null),
  );

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  signals = await start();
  bus = await connectBus({
    url: inject('natsUrl'),
    name: 'test',
    prefix,
    log: createLogger({ service: 'test', level: 'error' }),
  });
});

beforeEach(async () => {
  await rowsOf('truncate signals.signal_endpoints, signals.signals, signals.signals_set_aside, signals.outbox cascade');
});

afterAll(async () => {
  await bus?.drain();
  await signals?.drain();
  await signals?.stop();
  await owner?.end();
  await database?.drop();
});

it.each([0, -1, 987_654, 3_000_000_000_000])('the unknown endpoint %i is not found', async (id) => {
  const notFound = { code: 'not-found', message: `Could not find the signal endpoint with ID "${id}".` };
  await expect(admit(id)).rejects.toMatchObject(notFound);
});

it('is healthy and publishes its outbox', async () => {
  await createEndpoint('published');
  await signals.processAll();
  expect(await rowsOf('select 1 from signals.outbox where published_at is null')).toEqual([]);
  expect(await signals.health()).toEqual({ database: null, bus: null });
});

it('leaves no secret in events, tables, logs or messages, whether a request succeeds or fails', async () => {
  const messages: string[] = [];
  const collectError = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: Error) => void messages.push(error.message),
    );
  const { id } = await createEndpoint('kept');
  const { token: secret } = await createToken(id, 'kept-token');
  await collectError(createToken(id, 'kept-token'));
  await collectError(createToken(987_654, 'nobody'));
  // The insert of the event fails after the secret was created.
  await rowsOf('alter table signals.outbox rename to outbox_away');
  await collectError(createToken(id, 'lost'));
  await rowsOf('alter table signals.outbox_away rename to outbox');
  expect(messages).toHaveLength(3);
  await signals.processAll();

  const tables = ['outbox', 'signal_endpoint_tokens', 'signal_endpoints'];
  const texts = tables.map((table) => `select to_jsonb(t)::text as text from signals.${table} t`);
  const stored = await rowsOf<{ text: string }>(texts.join(' union all '));
  const everything = [...stored.map(({ text }) => text), ...logged, ...messages].join('\n');
  expect(everything).toContain('kept-token');
  expect(everything).not.toContain(secret!);
  expect(everything).not.toMatch(/yd_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}/);
});
