import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api.ts';
import { flagNames, makeFlag, strategyOf } from './flags.ts';
import { copyFlag } from './large-installation.repo.ts';
import type { Yardarm } from './yardarm.ts';

/** An installation of copies of one flag. Half of the flags are in the largest project, unless it says how many are. */
export interface Installation {
  flags: number;
  environments: string[];
  /** Beside the largest one and the project of the original. */
  otherProjects: number;
  inLargest: number;
  /** Small flags have a rollout; the others also a constraint and two variants. */
  areSmall: boolean;
}

export const flagsInLargest = (count: number) => Math.round(count / 2);

/** The goal's installation: three environments, and one project with half of the flags. */
export const largeInstallationOf = (flags: number): Installation => ({
  ...{ flags, inLargest: flagsInLargest(flags), areSmall: false },
  ...{ environments: ['development', 'production', 'staging'], otherProjects: 10 },
});

/** The goal's installation of 100,000 flags: 500 projects with 200 flags each, and five environments. */
export const hugeEnvironments = ['development', 'production', 'staging', 'test', 'qa'];
export const hugeInstallationOf = (flags: number): Installation => ({
  ...{ flags, inLargest: Math.min(200, flagsInLargest(flags)), areSmall: true },
  ...{ environments: hugeEnvironments, otherProjects: 498 },
});

/**
 * What an operator has to raise for 100,000 small flags: their number; the number of projects, which are 500 with
 * `default`; the 40 MB of what SDKs read of an environment, where these have 54 MB, 57 MB in begun units
 * (record 0030); and the heap of a gateway, which needs 7 bytes for each of 5 x 54 MB, and 11 while it loads.
 */
export const hugeSettings = {
  ...{ UNLEASH_FEATURE_FLAGS_LIMIT: '110000', UNLEASH_PROJECTS_LIMIT: '510', ENVIRONMENT_BYTES_LIMIT: '64000000' },
  NODE_OPTIONS: '--max-old-space-size=4096',
};

export const largestProject = 'largest';
export const searchedTag = 'searched';
export const largeFlag = (n: number) => `large-flag-${String(n).padStart(5, '0')}`;

/** Every installation has them. */
const predefined = ['development', 'production'];

/** Makes the flags and their original, with a strategy everywhere. */
export async function fillLargeInstallation(
  { api, url, sdkToken, databaseUrl }: Yardarm,
  { flags, environments, otherProjects, inLargest, areSmall }: Installation,
): Promise<void> {
  for (const environment of environments.filter((name) => !predefined.includes(name))) {
    await api.call('POST', '/api/admin/environments', { name: environment, type: 'preproduction' });
    await api.call('POST', '/api/admin/projects/default/environments', { environment });
  }
  const original = flagNames[0]!;
  const { name, parameters, ...others } = strategyOf(original);
  const strategy = areSmall ? { name, parameters } : { name, parameters, ...others };
  await makeFlag(api, original, strategy);
  const path = `/api/admin/projects/default/features/${original}/environments`;
  for (const environment of environments) {
    if (environment !== 'development') await api.call('POST', `${path}/${environment}/strategies`, strategy);
    if (!areSmall) await api.call('PUT', `${path}/${environment}/variants`, variants);
    await api.call('POST', `${path}/${environment}/on`);
  }
  await copyFlag(databaseUrl, original, { count: flags, inLargest, projects: otherProjects, tag: searchedTag });
  await untilServed(new Api(url, sdkToken), flags);
}

/** A gateway fetches the copies with its next poll: seconds of work for 10,000 flags, a minute for 100,000. */
const fetchLimitMs = 5 * 60_000;

/** Waits until the gateway has fetched the flags. */
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
