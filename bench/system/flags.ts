import type { Api } from './api.ts';

export const flagCount = 1_000;

export const flagNames = Array.from({ length: flagCount }, (_, n) => `bench-flag-${String(n).padStart(4, '0')}`);

/** Enough to keep a server busy without a queue. */
const concurrency = 8;

/** A segment is shared by many flags. Here each is in a hundred. */
const segmentCount = 10;

/** What the segments of all flags require. */
export const segmentValues = { plan: 'team' };

/** The strategy of each flag: a constraint and two variants. */
export const strategyOf = (flag: string) => ({
  name: 'flexibleRollout',
  parameters: { rollout: '50', stickiness: 'default', groupId: flag },
  constraints: [{ contextName: 'country', operator: 'IN' as const, values: ['no', 'se', 'dk'], inverted: false }],
  variants: ['red', 'blue'].map((name) => ({
    ...{ name, weight: 500, weightType: 'variable', stickiness: 'default', payload: { type: 'string', value: name } },
  })),
});

/**
 * Makes 1,000 flags in the project default, on in development, each with one flexibleRollout strategy with one
 * constraint. Unless they are plain, the strategies have two variants and a segment too.
 */
export async function makeFlags(api: Api, { isPlain }: { isPlain: boolean }): Promise<void> {
  const segments = isPlain ? [] : await makeSegments(api);
  const remaining = [...flagNames.entries()];
  const work = async () => {
    for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
      const [n, name] = next;
      const added = isPlain ? { variants: [] } : { segments: [segments[n % segmentCount]!] };
      await makeFlag(api, name, { ...strategyOf(name), ...added });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

export async function makeFlag(api: Api, name: string, strategy: unknown): Promise<void> {
  const features = '/api/admin/projects/default/features';
  await api.call('POST', features, { name, type: 'release', description: 'A flag of the bench' });
  await api.call('POST', `${features}/${name}/environments/development/strategies`, strategy);
  await api.call('POST', `${features}/${name}/environments/development/on`);
}

async function makeSegments(api: Api): Promise<number[]> {
  const constraints = Object.entries(segmentValues).map(([contextName, value]) => ({
    ...{ contextName, operator: 'IN', values: ['pro', value, 'enterprise'], inverted: false },
  }));
  const ids: number[] = [];
  for (let n = 0; n < segmentCount; n += 1) {
    const segment = { name: `bench-segment-${n}`, description: 'A segment of the bench', constraints };
    ids.push((await api.call<{ id: number }>('POST', '/api/admin/segments', segment)).id);
  }
  return ids;
}
