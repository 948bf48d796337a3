// An upgrade of an installation with data from the first release whose data has to be kept. The data folder is made by
// that release: its `npm start` runs from a checkout of it. Afterwards `npm start` of this release serves the same.
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually, startReceiver, type TestReceiver } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkOut, firstRelease } from './faults/checkout.ts';
import { type Installation, newDataDir, removeAll, start } from './installations.ts';

const flags = Array.from({ length: 12 }, (_, n) => `flag-${n}`);
/** They become stale when the receiver of webhooks answers 503. */
const staleFlags = flags.slice(4);
/** A checkout is unpacked, and two installations make or migrate six schemas. */
const limitMs = 180_000;
/** The first release waits at most so long between two attempts of these deliveries. */
const deliveredMs = 60_000;

let checkout: string;
let receiver: TestReceiver;
const dataDir = newDataDir();
/** Sentences about events have links to this address. */
const settings = { INTEGRATIONS_ALLOWED_PRIVATE: '127.0.0.1', UNLEASH_URL: 'http://yardarm.example' };
const verifyLog = path.resolve(import.meta.dirname, '../scripts/verify-log.ts');

beforeAll(async () => {
  checkout = mkdtempSync(path.join(tmpdir(), 'yardarm-first-'));
  // As root, the user that runs Postgres must be able to enter.
  for (const folder of [checkout, path.dirname(dataDir)]) chmodSync(folder, 0o711);
  await checkOut(firstRelease, checkout);
  receiver = await startReceiver();
  receiver.answerWith(503);
}, limitMs);

afterAll(async () => {
  await removeAll();
  await receiver?.close();
  rmSync(checkout, { recursive: true, force: true });
});

/** The secrets that only their creation shows. */
interface Secrets {
  client: string;
  frontend: string;
  serviceAccount: string;
  personal: string;
  signals: string;
}

const project = '/api/admin/projects/shop';
const runs = `${project}/actions/1/events`;
const switched = { project: 'shop', environment: 'production', featureName: 'flag-0' };

/** Returns the cookie of the session. */
async function signIn(address: string): Promise<string> {
  const answer = await fetch(`${address}/auth/simple/login`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ username: 'ann', password: 'A long password, 1' }),
  });
  expect(answer.status).toBe(200);
  return answer.headers.getSetCookie()[0]!.split(';')[0]!;
}

async function makePersonalToken(address: string, expiresAt: string): Promise<string> {
  const answer = await fetch(`${address}/api/admin/user/tokens`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json', cookie: await signIn(address) } },
    body: JSON.stringify({ description: 'laptop', expiresAt }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { secret: string }).secret;
}

async function fill({ call, ready }: Installation): Promise<Secrets> {
  const make = async (to: string, body: unknown, method = 'POST') => {
    const answer = await call(method, to, body);
    expect(answer.status, `${method} ${to}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body as Record<string, string>;
  };
  await make('/api/admin/projects', { id: 'shop', name: 'Shop' });
  await make('/api/admin/context', { name: 'plan', legalValues: [{ value: 'free' }, { value: 'paid' }] });
  await make('/api/admin/tag-types', { name: 'team', description: 'Who owns it' });
  const constraint = { contextName: 'plan', operator: 'IN', values: ['paid'], inverted: false, caseInsensitive: false };
  const segment = await make('/api/admin/segments', { name: 'paying', constraints: [constraint] });
  const strategy = {
    ...{ name: 'flexibleRollout', constraints: [constraint], segments: [segment.id] },
    parameters: { rollout: '25', stickiness: 'default', groupId: 'shop' },
    variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
  };
  for (const name of flags) {
    await make(`${project}/features`, { name, description: `About ${name}`, impressionData: true });
    await make(`${project}/features/${name}/environments/development/strategies`, strategy);
    await make(`${project}/features/${name}/environments/development/on`, {});
    await make(`/api/admin/features/${name}/tags`, { type: 'team', value: 'payments' });
  }
  await make(`${project}/features/flag-1/dependencies`, { feature: 'flag-0' });
  await make(`${project}/features/flag-2`, [{ op: 'replace', path: '/stale', value: true }], 'PATCH');
  await make(`${project}/features/flag-3`, undefined, 'DELETE');
  const tokenOf = async (type: string) => {
    const token = { tokenName: type, type, environment: 'development', projects: ['shop'] };
    return (await make('/api/admin/api-tokens', token)).secret!;
  };
  await make('/api/admin/user-admin', {
    ...{ username: 'ann', email: 'ann@example.com', name: 'Ann', password: 'A long password, 1', rootRole: 1 },
    sendEmail: false,
  });
  await make('/api/admin/groups', { name: 'owners', description: 'They own it', users: [] });
  const account = await make('/api/admin/service-account', { username: 'bot', name: 'Bot', rootRole: 1 });
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const ofAccount = await make(`/api/admin/service-account/${account.id}/token`, { description: 'ci', expiresAt });
  const endpoint = await make('/api/admin/signal-endpoints', { name: 'alerts' });
  const sender = await make(`/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' });
  await make(`${project}/actions`, {
    ...{
      name: 'switch',
      actorId: account.id,
      match: { source: 'signal-endpoint', sourceId: endpoint.id, payload: {} },
    },
    actions: [{ action: 'TOGGLE_FEATURE_ON', sortOrder: 1, executionParams: switched }],
  });
  const client = await tokenOf('client');
  const frontend = await tokenOf('frontend');
  await make('/api/admin/addons', {
    ...{ provider: 'webhook', enabled: true, events: ['feature-stale-on', 'feature-stale-off'] },
    parameters: { url: receiver.url, authorization: 'Bearer secret' },
  });
  for (const name of staleFlags) {
    await make(`${project}/features/${name}`, [{ op: 'replace', path: '/stale', value: true }], 'PATCH');
  }
  const personal = await makePersonalToken(await ready, expiresAt);
  return { client, frontend, serviceAccount: ofAccount.secret!, personal, signals: sender.token! };
}

const sendSignal = async (address: string, token: string, state: string) =>
  (
    await fetch(`${address}/api/signal-endpoint/alerts`, {
      ...{ method: 'POST', body: JSON.stringify({ state }) },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
  ).status;

/** What administrators read that an upgrade keeps. New fields may be added. */
const reads = [
  '/api/admin/projects',
  `${project}/features`,
  ...flags.filter((name) => name !== 'flag-3').map((name) => `${project}/features/${name}`),
  '/api/admin/search/features?archived=IS:true',
  '/api/admin/segments',
  '/api/admin/context/plan',
  '/api/admin/tag-types',
  '/api/admin/environments',
  '/api/admin/api-tokens',
  '/api/admin/user-admin',
  '/api/admin/groups',
  '/api/admin/service-account',
  '/api/admin/roles',
  '/api/admin/addons',
  '/api/admin/signal-endpoints',
  '/api/admin/signals',
  `${project}/actions`,
  runs,
];

async function readAll({ call }: Installation): Promise<Map<string, unknown>> {
  const bodies = new Map<string, unknown>();
  for (const read of reads) {
    const { status, body } = await call('GET', read);
    expect(status, read).toBe(200);
    bodies.set(read, withoutUse(body));
  }
  return bodies;
}

/** Tokens are used before and after the upgrade. */
function withoutUse(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'seenAt' ? undefined : value)));
}

interface Event {
  id: number;
  featureName: string;
}

async function readLog({ call }: Installation): Promise<Event[]> {
  const { body } = await call('GET', '/api/admin/search/events?limit=1000');
  return (body as { events: Event[] }).events;
}

async function readAs(authorization: string, url: string): Promise<Record<string, unknown>> {
  const answer = await fetch(url, { headers: { authorization } });
  expect(answer.status, url).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

/** As an SDK, and as a page that evaluates. */
const readFlags = async (address: string, { client, frontend }: Secrets) => [
  await readAs(client, `${address}/api/client/features`),
  await readAs(frontend, `${address}/api/frontend?plan=paid&userId=7`),
];

test('an installation of the first release keeps everything', { timeout: limitMs }, async () => {
  const first = start(dataDir, settings, checkout);
  const address = await first.ready;
  const secrets = await fill(first);
  expect(await sendSignal(address, secrets.signals, 'firing')).toBeLessThan(300);
  // Every event is recorded, every delivery was attempted, and the signal is stored and has run.
  await eventually(async () => {
    expect(receiver.received.length).toBeGreaterThanOrEqual(staleFlags.length);
    expect((await first.call('GET', '/api/admin/signals')).body).toMatchObject({ signals: [{}] });
    expect((await first.call('GET', runs)).body).toMatchObject({ actionSetEvents: [{ state: 'success' }] });
  });
  const before = await readAll(first);
  const log = await readLog(first);
  const served = await readFlags(address, secrets);
  expect(served[0]!.features).toHaveLength(flags.length - 1);
  await first.stop();

  receiver.answerWith(200);
  const attempts = receiver.received.length;
  const upgraded = start(dataDir, settings);
  const now = await upgraded.ready;
  for (const [read, body] of await readAll(upgraded)) expect.soft(body, read).toMatchObject(before.get(read) as object);
  expect((await readLog(upgraded)).filter(({ id }) => id <= log[0]!.id)).toMatchObject(log);
  expect(await readFlags(now, secrets)).toEqual(served);
  await readAs(secrets.serviceAccount, `${now}/api/admin/projects`);
  await readAs(secrets.personal, `${now}/api/admin/projects`);
  await signIn(now);
  expect(await sendSignal(now, secrets.signals, 'resolved')).toBeLessThan(300);
  await eventually(async () => {
    const success = { state: 'success' };
    expect((await upgraded.call('GET', runs)).body).toMatchObject({ actionSetEvents: [success, success] });
  });

  const arrivals = () => receiver.received.slice(attempts).map(({ body }) => (JSON.parse(body) as Event).featureName);
  await eventually(() => expect(arrivals().sort()).toEqual(staleFlags.toSorted()), deliveredMs);
  const env = { YARDARM_DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [verifyLog], { env });
  expect(stdout).toMatch(/event\(s\) from 1 to \d+ are what was recorded/);
});
