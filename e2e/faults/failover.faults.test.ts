// An asynchronous failover of Postgres is a restore: the promoted standby lacks changes that SDKs, webhooks and NATS
// have seen. After `after-restore` the system follows the standby: the undone changes are in neither flags nor log, and
// no webhook gets an id twice.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@yardarm/testing';
import { type PostgresPair, startPostgresPair } from '@yardarm/testing/postgres-pair';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNats } from '../../scripts/servers/nats.ts';
import { addHook, readLog, untilDrained } from './collect.ts';
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import type { YardarmServers } from './servers.ts';
import { startYardarmOn, type Yardarm } from './yardarm.ts';

/** Services find the new primary and gateways reload within seconds, on a busy machine within a minute. */
const recoveryLimitMs = 60_000;

const features = '/api/admin/projects/default/features';
let yardarm: Yardarm<YardarmServers>;
let pair: PostgresPair;
let receiver: WebhookReceiver;
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-failover-'));
const heads = path.join(folder, 'heads');

async function startServers(): Promise<YardarmServers> {
  const [nats, postgres] = await Promise.all([
    startNats({ storeDir: path.join(folder, 'nats'), temporary: true }),
    startPostgresPair(),
  ]);
  pair = postgres;
  return {
    postgresUrl: pair.primaryUrl,
    natsUrlOf: (service) => nats.serviceUrls[service],
    withHosts: (url) => pair.ofBoth(url, 'primary-first'),
    folder,
    async stop() {
      await Promise.all([nats.stop(), pair.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  const counts = { flags: 1, events: 1, integrations: 1 };
  yardarm = await startYardarmOn(
    await startServers(),
    counts,
    (service): Record<string, string> => (service === 'events' ? { EVENTS_HEADS_DIR: heads } : {}),
  );
});
afterAll(async () => {
  await yardarm?.stop();
  await receiver?.close();
});

/** The database on the standby, with the login of the superuser. */
function onStandby(): string {
  const url = new URL(pair.standbyUrl);
  url.pathname = new URL(yardarm.database.ownerUrl).pathname;
  return url.href;
}

/** The same system, whose database the test reads on the standby. */
const promoted = (): Yardarm<YardarmServers> => ({
  ...yardarm,
  database: {
    ...yardarm.database,
    async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      const client = new pg.Client({ connectionString: onStandby() });
      await client.connect();
      try {
        return (await client.query<Row>(text, values)).rows;
      } finally {
        await client.end();
      }
    },
  },
});

/** Runs a command of scripts/ as an operator. Returns its output; throws unless it exits with 0. */
async function run(script: string): Promise<string> {
  const file = path.join(import.meta.dirname, '../../scripts', script);
  const env = { EVENTS_HEADS_DIR: heads, DATABASE_URL: onStandby() };
  return (await promisify(execFile)(process.execPath, [file], { env })).stdout;
}

const create = (name: string) => yardarm.call('POST', features, { name });
const createdIn = (events: readonly { type: string; featureName: string | null }[]) =>
  events.filter(({ type }) => type === 'feature-created').map(({ featureName }) => featureName);

test('the system follows a standby that lacks changes which others have seen', async () => {
  const hook = await addHook(yardarm, { url: receiver.url, path: '/created', types: ['feature-created'] });
  await create('kept');
  await untilDrained(yardarm, [hook]);
  await eventually(async () => {
    const [row] = await promoted().database.rows<{ count: string }>(
      "select count(*) from flags.features where name = 'kept'",
    );
    expect(row!.count).toBe('1');
  });

  await pair.cutStandby();
  for (const name of ['lost-1', 'lost-2', 'lost-3']) await create(name);
  await untilDrained(yardarm, [hook]);
  expect(receiver.arrivals).toHaveLength(4);
  const idsBefore = new Set(receiver.arrivals.map(({ webhookId }) => webhookId));

  const services = yardarm.replicas.filter(({ service }) => service !== 'gateway');
  await Promise.all(services.map((replica) => replica.stop()));
  await pair.killPrimary();
  await pair.promote();
  expect(await run('after-restore.ts')).toContain('The services can be started.');
  await Promise.all(services.map((replica) => replica.start()));
  await yardarm.untilReady();

  const { features: left } = await yardarm.call('GET', features);
  expect(left.map(({ name }: { name: string }) => name)).toEqual(['kept']);
  await eventually(() => create('new'), recoveryLimitMs);
  await create('lost-1');
  await untilDrained(promoted(), []);
  await eventually(() => expect(receiver.arrivals.length).toBeGreaterThanOrEqual(6), recoveryLimitMs);

  // The log has what the standby had and what came later, and ids without a gap.
  const log = await readLog(yardarm);
  expect(createdIn(log)).toEqual(['kept', 'new', 'lost-1']);
  expect(log.map(({ id }) => id)).toEqual(log.map((_, index) => index + 1));
  // The receiver takes no new event for one that it has seen.
  const since = receiver.arrivals.slice(4).filter(({ event }) => event.featureName !== 'kept');
  expect(createdIn(since.map(({ event }) => event))).toEqual(['new', 'lost-1']);
  expect(since.filter(({ webhookId }) => idsBefore.has(webhookId))).toEqual([]);
  expect(await run('verify-log.ts')).toMatch(/are what was recorded/);
});
