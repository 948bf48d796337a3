// Tests signals over a real bus and Postgres: the rate of admissions. Other tests cover endpoints, tokens and stored
// signals, the HTTP surface (gateway) and the delivery of events (relay).
import { randomBytes, randomUUID } from 'node:crypto';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/signals';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
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

const admit = (endpointId: number) => bus.request(contracts.admitSignal, { endpointId }, context(null));

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

describe('admissions', () => {
  /** Sets the ages of the endpoint's admissions in milliseconds, oldest first. */
  const age = (endpointId: number, ...ages: number[]) =>
    rowsOf(
      `update signals.admissions set recent = array(
         select clock_timestamp() - age * interval '1 millisecond' from unnest($2::integer[]) with ordinality as a(age, place)
         order by place)
       where endpoint_id = $1`,
      [endpointId, ages],
    );

  it('of twenty concurrent requests match the rate, each with its own id', async () => {
    const { id } = await createEndpoint('rated');
    const answers = await Promise.all(Array.from({ length: 20 }, () => admit(id)));
    const admitted = answers.filter((answer) => answer.admitted);
    expect(admitted).toHaveLength(3);
    expect(new Set(admitted.map((answer) => answer.id)).size).toBe(3);
    for (const answer of answers) {
      if (answer.admitted) continue;
      expect(answer.retryAfterMs).toBeGreaterThanOrEqual(1);
      expect(answer.retryAfterMs).toBeLessThanOrEqual(1000);
    }
  });

  it('of two replicas together match the rate', async () => {
    const replica = await start();
    try {
      const { id } = await createEndpoint('rated-by-two');
      const answers = await Promise.all(Array.from({ length: 20 }, () => admit(id)));
      expect(answers.filter((answer) => answer.admitted)).toHaveLength(3);
    } finally {
      await replica.drain();
      await replica.stop();
    }
  });

  it('of one endpoint do not reduce those of another', async () => {
    const busy = await createEndpoint('busy');
    const calm = await createEndpoint('calm');
    await age(busy.id, 0, 0, 0);
    expect(await admit(busy.id)).toMatchObject({ admitted: false });
    expect(await admit(calm.id)).toMatchObject({ admitted: true });
  });

  it.each([
    ['the third last is a second old', [1000, 10, 10], true],
    ['three are younger than a second', [500, 10, 10], false],
    ['only two are younger than a second', [5000, 500, 10], true],
    ['the rate was higher before, and three of many are younger than a second', [900, 800, 400, 300, 200], false],
    ['the rate was higher before, and the third last is a second old', [3000, 2000, 1000, 600, 500], true],
    ['the clock was set back an hour', [-3_600_000, -3_600_000, -3_600_000], true],
    ['the clock was set back a little', [-500, -400, -300], false],
  ])('when %s: ages %j give %s', async (_, ages, admitted) => {
    const { id } = await createEndpoint('timed');
    await age(id, ...ages);
    expect((await admit(id)).admitted).toBe(admitted);
  });

  it('that are refused succeed after the given time, and not before', async () => {
    const { id } = await createEndpoint('patient');
    await age(id, 500, 0, 0);
    const refused = await admit(id);
    if (refused.admitted) throw new Error('admitted too early');
    expect(refused.retryAfterMs).toBeLessThanOrEqual(500);
    const times = (place: number) =>
      rowsOf<{ time: string }>(`select recent[$2]::text as time from signals.admissions where endpoint_id = $1`, [
        id,
        place,
      ]);
    const [first] = await times(1);
    await eventually(async () => expect((await admit(id)).admitted).toBe(true));
    const [last] = await times(3);
    const [gap] = await rowsOf<{ ok: boolean }>(
      `select $2::timestamptz >= $1::timestamptz + interval '1 second' as ok`,
      [first?.time, last?.time],
    );
    expect(gap?.ok).toBe(true);
  });
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
