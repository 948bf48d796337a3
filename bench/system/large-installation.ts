import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api.ts';
import { flagNames, makeFlag, strategyOf } from './flags.ts';
import { copyFlag } from './large-installation.repo.ts';
import type { Yardarm } from './yardarm.ts';

/** The goal's installation: three environments, and one project with half of the flags. */
const environments = ['development', 'production', 'staging'];
const otherProjects = 10;

export const largestProject = 'largest';
export const flagsInLargest = (count: number) => Math.round(count / 2);
export const searchedTag = 'searched';
export const largeFlag = (n: number) => `large-flag-${String(n).padStart(5, '0')}`;

/** Makes an installation of `count` flags and their original, with a strategy, variants and a constraint everywhere. */
export async function fillLargeInstallation(
  { api, url, sdkToken, databaseUrl }: Yardarm,
  count: number,
): Promise<void> {
  await api.call('POST', '/api/admin/environments', { name: 'staging', type: 'preproduction' });
  await api.call('POST', '/api/admin/projects/default/environments', { environment: 'staging' });
  const original = flagNames[0]!;
  const strategy = strategyOf(original);
  await makeFlag(api, original, strategy);
  const path = `/api/admin/projects/default/features/${original}/environments`;
  for (const environment of environments) {
    if (environment !== 'development') await api.call('POST', `${path}/${environment}/strategies`, strategy);
    await api.call('PUT', `${path}/${environment}/variants`, variants);
    await api.call('POST', `${path}/${environment}/on`);
  }
  const inLargest = flagsInLargest(count);
  await copyFlag(databaseUrl, original, { count, inLargest, projects: otherProjects, tag: searchedTag });
  await untilServed(new Api(url, sdkToken), count);
}

/** A gateway fetches the copies with its next poll. */
const fetchLimitMs = 60_000;

/** Waits until the gateway has fetched the flags, which takes it seconds of work. */
async function untilServed(sdk: Api, count: number): Promise<void> {
  const until = Date.now() + fetchLimitMs;
  for (let served = 0; served < count; await sleep(200)) {
    served = (await sdk.call<{ features: unknown[] }>('GET', '/api/client/features')).features.length;
    if (Date.now() > until) throw new Error(`the gateway serves ${served} of ${count} flags`);
  }
}

const variants = ['one', 'two'].map((name) => ({
  ...{ name, weight: 500, weightType: 'variable', stickiness: 'default' },
  payload: { type: 'string', value: `the value of ${name}` },
}));
