// The trial in containers: the image of this commit, with the arguments, settings, secrets, volumes and restrictions of
// its pods. It needs root, podman, and the base images or a registry.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDemo } from '../demo/testing/run-demo.ts';
import { podOf, readRendered, serviceOf, type Workload, workloadsOf } from './objects.ts';
import { buildImage, canPlay, configMapsOf, PodmanPods } from './testing/podman.ts';
import { trialSecrets } from './trial-secrets.js';

/** A build installs the packages twice and builds the console. */
const buildLimitMs = 900_000;
/** Six services, their Jobs and servers start at once on two cores. */
const startLimitMs = 180_000;

const root = path.resolve(import.meta.dirname, '../..');
const objects = readRendered('trial');
const workloads = workloadsOf(objects);
const jobs = workloads.filter(({ kind }) => kind === 'Job');
const pods = workloads.filter(({ kind }) => kind !== 'Job');
const services = pods.filter((workload) => serviceOf(podOf(workload).containers[0]!) !== null);
const imageOf = (workload: Workload) => podOf(workload).containers[0]!.image;
const baseImages = [
  /^FROM (\S+)/m.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8'))![1]!,
  ...pods.filter((pod) => !services.includes(pod)).map(imageOf),
];

const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-podman-'));
const secrets = trialSecrets();
const configMaps = configMapsOf(objects);
const played = new PodmanPods(folder, { configMaps, secrets });
const isPlayable = await canPlay(baseImages);
let thisMachine: string;

beforeAll(async () => {
  if (!isPlayable) return;
  await buildImage(imageOf(services[0]!), root);
  thisMachine = await played.createNetwork();
}, buildLimitMs);

afterAll(async () => {
  if (isPlayable) await played.remove();
  rmSync(folder, { recursive: true });
});

async function urlOf(service: Workload, port: 'health' | 'http'): Promise<string> {
  const { ports = [] } = podOf(service).containers[0]!;
  return `http://${await played.addressOf(service)}:${ports.find(({ name }) => name === port)!.containerPort}`;
}

/** Waits for each service's own answer, as a kubelet does. */
async function untilReady(): Promise<void> {
  for (const service of services)
    await eventually(async () => {
      const answer = await fetch(`${await urlOf(service, 'health')}/ready`);
      expect([service.metadata.name, answer.status]).toEqual([service.metadata.name, 200]);
    }, startLimitMs);
}

async function runDemos(): Promise<void> {
  const gateway = services.find(({ metadata }) => metadata.name === 'gateway')!;
  const { INIT_ADMIN_API_TOKENS: admin, INIT_CLIENT_API_TOKENS: sdk } = secrets['accounts-secrets']!;
  const settings = {
    YARDARM_URL: await urlOf(gateway, 'http'),
    ...{ YARDARM_ADMIN_TOKEN: admin!, YARDARM_SDK_TOKEN: sdk!, YARDARM_RECEIVER_HOST: thisMachine },
  };
  for (const args of [[], ['signals']])
    expect(await runDemo(settings, args)).toMatchObject({ code: 0, output: /all of it happened\n$/ });
}

test.skipIf(!isPlayable)(
  'shows both demos in its pods, also after each pod has crashed',
  async () => {
    const settings = configMaps.find(({ metadata }) => metadata.name.startsWith('integrations-settings'))!;
    settings.data = { ...settings.data, INTEGRATIONS_ALLOWED_PRIVATE: thisMachine };
    for (const workload of workloads) await played.play(workload);
    for (const job of jobs)
      await eventually(
        async () =>
          expect([job.metadata.name, await played.stateOf(job)]).toEqual([
            job.metadata.name,
            expect.objectContaining({ status: 'exited', exitCode: 0 }),
          ]),
        startLimitMs,
      );
    await untilReady();
    await runDemos();

    const crashed = await Promise.all(pods.map((pod) => played.crash(pod)));
    for (const [n, pod] of pods.entries())
      await eventually(async () => {
        const { status, pid } = await played.stateOf(pod);
        expect({ status, isNew: pid !== crashed[n] }).toEqual({ status: 'running', isNew: true });
      }, startLimitMs);
    await untilReady();
    await runDemos();
  },
  2 * startLimitMs + 300_000,
);
