import type { Yardarm } from '../../system/yardarm.ts';
import type { Attack } from '../attack.ts';
import type { Target } from '../target.ts';
import { connections, environment, largeProject, makeLargeProject } from './administration.ts';

/** The flags of a project whose views scan many rows, each with as many strategies as 24,000 uses of a segment need. */
const flags = 3_000;
const flagsPerImport = 500;
const strategiesPerFlag = 8;

const wide = 'wide';

async function makeWideProject({ api }: Yardarm): Promise<void> {
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['a', 'b'], inverted: false }];
  const segment = await api.call<{ id: number }>('POST', '/api/admin/segments', { name: wide, constraints });
  await api.call('POST', '/api/admin/projects', { id: wide, name: wide });
  for (let begin = 0; begin < flags; begin += flagsPerImport) {
    const names = Array.from({ length: flagsPerImport }, (_, n) => `${wide}-${begin + n}`);
    const strategy = { name: 'default', constraints, segments: [segment.id] };
    const data = {
      features: names.map((name) => ({ name, type: 'release', project: wide })),
      featureStrategies: names.flatMap((featureName) =>
        Array.from({ length: strategiesPerFlag }, () => ({ ...strategy, featureName })),
      ),
      featureTags: names.map((featureName) => ({ featureName, tagType: 'simple', tagValue: featureName })),
      segments: [{ id: segment.id, name: wide }],
      tagTypes: [{ name: 'simple', description: '', icon: '' }],
    };
    await api.call('POST', '/api/admin/features-batch/import', { project: wide, environment, data });
  }
}

/** The path of what uses the segment. */
async function usesOfSegment({ url, viewerToken }: Target): Promise<string> {
  const answer = await fetch(`${url}/api/admin/segments`, { headers: { authorization: viewerToken } });
  const { segments } = (await answer.json()) as { segments: { id: number; name: string }[] };
  return `segments/${segments.find(({ name }) => name === wide)!.id}/strategies`;
}

export const reads: Attack = {
  name: 'reads',
  title: 'reads of 3,000 flags with 24,000 strategies and of flags of 450 kB, for a Viewer',
  async prepare(yardarm) {
    await makeWideProject(yardarm);
    await makeLargeProject(yardarm, largeProject);
  },
  async plan(target) {
    const { url, viewerToken: authorization } = target;
    const flag = `projects/${largeProject}/features/${largeProject}-1`;
    const paths = [
      ...['context', 'context/userId/strategies', 'segments', await usesOfSegment(target), 'tags', 'projects'],
      ...['features', 'overview', 'status', 'health-report'].map((view) => `projects/${wide}/${view}`),
      ...[`projects/${largeProject}/features`, flag, `${flag}/environments/${environment}/strategies`],
      ...['search/features?limit=1000', 'search/events?limit=1000', 'events', 'lifecycle/count'],
    ];
    const headers = { authorization };
    const requests = paths.map((path) => ({ method: 'GET' as const, path: `/api/admin/${path}`, headers }));
    return { kind: 'requests', url, connections, requests };
  },
};
