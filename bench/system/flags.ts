import type { Api } from './api.ts';

export const flagCount = 1_000;

export const flagNames = Array.from({ length: flagCount }, (_, n) => `bench-flag-${String(n).padStart(4, '0')}`);

/** Enough to keep a server busy without a queue. */
const concurrency = 8;

/**
 * Makes 1,000 flags in the project default, on in development, each with one flexibleRollout strategy and one
 * constraint.
 */
export async function makeFlags(api: Api): Promise<void> {
  const remaining = [...flagNames];
  const work = async () => {
    for (let name = remaining.shift(); name !== undefined; name = remaining.shift()) await makeFlag(api, name);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

async function makeFlag(api: Api, name: string): Promise<void> {
  const features = '/api/admin/projects/default/features';
  await api.call('POST', features, { name, type: 'release', description: 'A flag of the bench' });
  await api.call('POST', `${features}/${name}/environments/development/strategies`, {
    name: 'flexibleRollout',
    parameters: { rollout: '50', stickiness: 'default', groupId: name },
    constraints: [{ contextName: 'country', operator: 'IN', values: ['no', 'se', 'dk'], inverted: false }],
  });
  await api.call('POST', `${features}/${name}/environments/development/on`);
}
