// Postgres is restored from an older backup while NATS, gateways, SDKs, receivers of webhooks and heads stay as they
// are. The system follows the backup, and loses and doubles nothing from then on.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually, openEventStream, startReceiver, type TestReceiver, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import pg from 'pg';
import { InMemStorageProvider, Unleash, type UnleashConfig } from 'unleash-client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

const features = '/api/admin/projects/default/features';
const withDatabase = ['flags', 'accounts', 'signals', 'integrations', 'events'] as const;
let system: TestSystem;
let receiver: TestReceiver;
let folder: string;
const sdks: Unleash[] = [];
const closers: (() => void)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'yardarm-restore-'));
  [system, receiver] = await Promise.all([
    startSystem({ EVENTS_HEADS_DIR: path.join(folder, 'heads') }),
    startReceiver(),
  ]);
});

afterAll(async () => {
  for (const sdk of sdks) sdk.destroy();
  for (const close of closers) close();
  await system?.stop();
  await receiver?.close();
  await rm(folder, { recursive: true });
});

const create = (name: string) => system.call('POST', features, { body: { name } });
const turn = (name: string, state: 'on' | 'off') =>
  system.call('POST', `${features}/${name}/environments/development/${state}`);

async function stopServices(): Promise<void> {
  for (const name of withDatabase) await system.stopService(name);
}

async function startServices(): Promise<void> {
  for (const name of withDatabase) await system.startService(name);
}

async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function startSdk(url: string, mode: UnleashConfig['experimentalMode']): Promise<Unleash> {
  const sdk = new Unleash({
    ...{
      url: `${url}/api`,
      appName: 'test',
      refreshInterval: 200,
      disableMetrics: true,
      skipInstanceCountWarning: true,
    },
    ...{
      customHeaders: { Authorization: system.clientTokens.development },
      storageProvider: new InMemStorageProvider(),
    },
    ...(mode === undefined ? {} : { experimentalMode: mode }),
  });
  sdks.push(sdk);
  sdk.on('error', () => undefined);
  await new Promise((resolve) => sdk.once('synchronized', resolve));
  return sdk;
}

/** Runs a command of scripts/ as an operator. */
async function run(script: string, environment: Record<string, string>): Promise<{ code: number; output: string }> {
  const file = path.join(import.meta.dirname, '../scripts', script);
  const env = { EVENTS_HEADS_DIR: path.join(folder, 'heads'), ...environment };
  return promisify(execFile)(process.execPath, [file], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

const verifyLog = () => run('verify-log.ts', { DATABASE_URL: system.database.urlFor('events') });
const afterRestore = () => run('after-restore.ts', { DATABASE_URL: system.database.ownerUrl });

const delivered = () =>
  receiver.received.map(({ headers, body }) => ({ id: headers['webhook-id'], name: JSON.parse(body).featureName }));

async function sendSignal(token: string): Promise<number> {
  const send = () => system.call('POST', '/api/signal-endpoint/monitor', { token: `Bearer ${token}`, body: {} });
  await expect.poll(send, { timeout: 10_000, interval: 300 }).toMatchObject({ status: 200 });
  const list = await eventually(async () => {
    await system.processAll();
    const { body } = await system.call('GET', '/api/admin/signal-endpoints/1/signals');
    expect(body.signalEndpointSignals).not.toEqual([]);
    return body.signalEndpointSignals as { id: number }[];
  });
  return list[0]!.id;
}

test('SDKs, gateways, the log, webhooks and signals follow a restored database', async () => {
  // Before the backup.
  await create('kept');
  await turn('kept', 'on');
  await system.call('POST', '/api/admin/addons', {
    body: {
      ...{ provider: 'webhook', enabled: true, events: ['feature-created'] },
      parameters: { url: receiver.url },
    },
  });
  await system.call('POST', '/api/admin/signal-endpoints', { body: { name: 'monitor' } });
  const endpoint = await system.call('POST', '/api/admin/signal-endpoints/1/tokens', { body: { name: 'sender' } });
  await sendSignal(endpoint.body.token);
  const second = await system.addGateway();
  const all = await Promise.all(
    [system.url, second].flatMap((url) => [
      startSdk(url, undefined),
      startSdk(url, { type: 'polling', format: 'delta' }),
      startSdk(url, { type: 'streaming' }),
    ]),
  );
  const tail = await openEventStream(`${system.url}/api/admin/events/stream`, { authorization: system.adminToken });
  closers.push(() => tail.close());
  // In EVENTS and marked as published in the outbox, but not yet in the log.
  await system.stopService('events');
  await create('pending');
  await system.services.flags.processAll();
  await stopServices();
  const [inBackup] = await system.database.rows<{ head: number }>(
    'select last_id as head from events.recorder_position',
  );
  await system.database.disconnect();
  const name = new URL(system.database.ownerUrl).pathname.slice(1);
  await onServer(`create database ${name}_backup template ${name}`);

  // After the backup.
  await startServices();
  await turn('kept', 'off');
  for (const flag of ['lost-1', 'lost-2', 'lost-3']) await create(flag);
  await turn('lost-1', 'on');
  const lostSignal = await sendSignal(endpoint.body.token);
  await system.processAll();
  for (const sdk of all)
    await eventually(() => expect([sdk.isEnabled('kept'), sdk.isEnabled('lost-1')]).toEqual([false, true]));
  const headBefore = (await system.call('GET', '/api/admin/events/verify')).body.head.id;
  await eventually(() => expect(tail.events.at(-1)!.id).toBe(String(headBefore)));
  const sentBefore = tail.events.length;
  expect(
    delivered()
      .map((one) => one.name)
      .sort(),
  ).toEqual(['lost-1', 'lost-2', 'lost-3', 'pending']);
  expect(await afterRestore()).toEqual({ code: 1, output: expect.stringContaining('stop all but the gateways first') });

  // The restore.
  await stopServices();
  await onServer(
    `drop database ${name} with (force)`,
    `create database ${name} template ${name}_backup`,
    `drop database ${name}_backup`,
  );
  // The log is shorter than its heads say, and nothing explains it yet.
  expect(await verifyLog()).toMatchObject({ code: 1, output: expect.stringContaining('It is missing') });
  const done = { code: 0, output: expect.stringContaining('The services can be started.') };
  expect(await afterRestore()).toEqual(done);
  expect(await afterRestore()).toEqual(done);
  await startServices();

  // SDKs in every mode follow, at each gateway.
  for (const sdk of all)
    await eventually(() => expect([sdk.isEnabled('kept'), sdk.isEnabled('lost-1')]).toEqual([true, false]), 30_000);
  // A reader that lost its stream before the restore connects while the log is shorter than its position.
  const again = await openEventStream(`${system.url}/api/admin/events/stream`, {
    ...{ authorization: system.adminToken, 'last-event-id': String(headBefore) },
  });
  closers.push(() => again.close());
  await create('new');
  await turn('new', 'on');
  for (const sdk of all) await eventually(() => expect(sdk.isEnabled('new')).toBe(true), 30_000);
  expect((await system.call('GET', `${features}/lost-1`)).status).toBe(404);
  await create('lost-2');
  await system.processAll();

  // The log has what the backup had, the event that was on its way, and the new ones, each once.
  const log = await system.database.rows<{ id: number; event_id: string; type: string; feature_name: string | null }>(
    'select id, event_id, type, feature_name from events.events order by id',
  );
  expect(new Set(log.map(({ event_id }) => event_id)).size).toBe(log.length);
  const created = log.filter(({ type }) => type === 'feature-created').map(({ feature_name }) => feature_name);
  expect(created).toEqual(['kept', 'pending', 'new', 'lost-2']);
  const unpublished = await system.database.rows(
    'select 1 from flags.outbox where not exists (select from events.recorded_ids r where r.event_id = outbox.event_id)',
  );
  expect(unpublished).toEqual([]);

  // The webhook gets the new events. It had the pending one, which the backup does not know.
  const names = delivered()
    .slice(4)
    .map((one) => one.name);
  expect(names.sort()).toEqual(['lost-2', 'new', 'pending']);
  expect(new Set(delivered().map((one) => one.id)).size).toBe(7);

  // Readers that were ahead of the restored log get each event since the backup. The log passes their position.
  while ((await system.call('GET', '/api/admin/events/verify')).body.head.id <= headBefore) {
    await turn('new', 'off');
    await turn('new', 'on');
    await system.processAll();
  }
  const since = await system.database.rows<{ id: number }>('select id from events.events where id > $1 order by id', [
    inBackup!.head,
  ]);
  const idsSince = since.map(({ id }) => String(id));
  for (const eventsOf of [() => tail.events.slice(sentBefore), () => again.events])
    await eventually(() => expect(eventsOf().map(({ id }) => id)).toEqual(idsSince));

  // A new signal is stored under an id that none had.
  expect(await sendSignal(endpoint.body.token)).toBeGreaterThan(lostSignal);

  await system.stopService('events');
  expect(await verifyLog()).toEqual({
    code: 0,
    output: expect.stringMatching(
      /are what was recorded.*\n(The database was restored at .*\n)+.*head\(s\) match the log/,
    ),
  });
}, 300_000);
