// The pods of the trial as processes, with servers of their own: the Jobs and services have the arguments, variables
// and secrets that they need, and services that start before their Jobs wait.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningNats, startNats } from '../servers/nats.ts';
import { type RunningPostgres, startPostgres } from '../servers/postgres.ts';
import { podOf, readRendered, serviceOf, workloadsOf } from './objects.ts';
import { type Pod, runPod } from './testing/run-pod.ts';
import type { Secrets } from './testing/secrets.ts';
import { trialSecrets } from './trial-secrets.js';

/** Six services start at once on a busy machine. */
const startLimitMs = 120_000;

const objects = readRendered('trial');
const workloads = workloadsOf(objects);
const services = workloads.filter((workload) => serviceOf(podOf(workload).containers[0]!) !== null);
const named = (start: string) => workloads.find(({ metadata }) => metadata.name.startsWith(start))!;
const running: Pod[] = [];
let folder: string;
let postgres: RunningPostgres;
let nats: RunningNats;
let secrets: Secrets;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-pods-'));
  // For root, Postgres runs as another user, who needs access to its data in this folder.
  chmodSync(folder, 0o711);
  [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: path.join(folder, 'postgres'), durable: false, temporary: true }),
    startNats({ storeDir: path.join(folder, 'nats'), syncAlways: false, temporary: true }),
  ]);
  secrets = atServers(trialSecrets());
});

afterAll(async () => {
  for (const pod of running) pod.signal('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  await Promise.all([postgres?.stop(), nats?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The secrets with the addresses of these servers. Postgres keeps its owner, and NATS its passwords. */
function atServers(made: Secrets): Secrets {
  const { host, pathname } = new URL(postgres.url);
  const adapted = Object.entries(made).map(([secret, values]) => {
    const service = secret.replace(/-secrets$/, '') as keyof typeof nats.serviceUrls;
    const changed = Object.entries(values).map(([key, value]) => {
      if (key === 'NATS_URL') return [key, nats.serviceUrls[service]];
      if (key === 'DATABASE_URL' && service === ('provision' as string)) return [key, postgres.url];
      return [key, value.replace('@postgres:5432/yardarm', `@${host}${pathname}`)];
    });
    return [secret, Object.fromEntries(changed)];
  });
  return Object.fromEntries(adapted);
}

async function start(workload: (typeof workloads)[number]): Promise<Pod> {
  const pod = await runPod(workload, objects, secrets, folder);
  running.push(pod);
  return pod;
}

/** Runs a Job, which has to succeed at once. */
async function runJob(name: string): Promise<void> {
  const pod = await start(named(name));
  expect([name, await pod.ended, pod.output()]).toEqual([name, 0, expect.any(String)]);
}

const statusOf = async ({ healthUrl }: Pod, probe: string) => (await fetch(healthUrl + probe)).status;

test('services wait for their Jobs, serve with the secrets of the trial, and end within their grace period', async () => {
  const pods = await Promise.all(services.map(start));
  for (const pod of pods) await eventually(async () => expect(await statusOf(pod, '/livez')).toBe(200), startLimitMs);
  for (const pod of pods) expect([pod.name, await statusOf(pod, '/ready')]).toEqual([pod.name, 503]);

  await runJob('provision-migrate');
  const migrations = workloads.filter(({ kind, metadata }) => kind === 'Job' && !metadata.name.startsWith('provision'));
  expect(migrations).toHaveLength(5);
  await Promise.all(migrations.map(({ metadata }) => runJob(metadata.name)));
  for (const pod of pods)
    await eventually(
      async () =>
        expect([pod.name, await statusOf(pod, '/ready'), pod.output()]).toEqual([pod.name, 200, pod.output()]),
      startLimitMs,
    );

  const { publicUrl } = pods.find(({ name }) => name === 'gateway')!;
  const { INIT_ADMIN_API_TOKENS: admin, INIT_CLIENT_API_TOKENS: sdk } = secrets['accounts-secrets']!;
  const made = await fetch(`${publicUrl}/api/admin/projects/default/features`, {
    method: 'POST',
    headers: { authorization: admin!, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'new-checkout' }),
  });
  expect(made.status).toBe(201);
  await eventually(async () => {
    const listing = await fetch(`${publicUrl}/api/client/features`, { headers: { authorization: sdk! } });
    const { features } = (await listing.json()) as { features: { name: string }[] };
    expect(features.map(({ name }) => name)).toEqual(['new-checkout']);
  });

  // A second apply with another version runs them again.
  await runJob('provision-migrate');
  await runJob('flags-migrate');

  for (const pod of pods) pod.signal('SIGTERM');
  expect(await Promise.all(pods.map(({ ended }) => ended))).toEqual(pods.map(() => 0));
});
