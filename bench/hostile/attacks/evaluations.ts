import type { Yardarm } from '../../system/yardarm.ts';
import type { Attack } from '../attack.ts';
import type { HostileRequest } from '../attackers/plan.ts';
import { json } from './administration.ts';

/** More than a gateway evaluates at once. */
const connections = 32;

/** As long as a pattern compares, and as long as a context allows. */
const lengths = [1_000, 10_000];

/** As many constraints as a strategy can have. Inverted ones are all evaluated, until one has a match. */
const constraintsPerStrategy = 30;

/** The flags that a member of one project makes: the costliest that the admin API accepts. */
async function makeCostlyFlags({ api }: Yardarm): Promise<void> {
  const path = '/api/admin/projects/default/features';
  const constraints = Array.from({ length: constraintsPerStrategy }, (_, index) => {
    const value = `a(?:[ab][ab]){${490 - index}}[cd]`;
    return { contextName: 'userId', operator: 'REGEX', value, inverted: true };
  });
  for (let index = 0; index < 10; index += 1) {
    const name = `costly-${index}`;
    await api.call('POST', path, { name });
    const place = `${path}/${name}/environments/development`;
    await api.call('POST', `${place}/strategies`, { name: 'default', constraints });
    await api.call('POST', `${place}/on`);
  }
}

export const evaluations: Attack = {
  name: 'evaluations',
  title: 'evaluations of costly constraints with a frontend token',
  prepare: makeCostlyFlags,
  plan({ url, frontendToken }) {
    const requests = lengths.map((length) => ({
      ...{ method: 'POST' as const, path: '/api/frontend', headers: { ...json, authorization: frontendToken } },
      body: JSON.stringify({ context: { userId: `[<ab ${length}>]` } }),
    }));
    return { kind: 'requests', url, connections, requests };
  },
};

/** After `evaluations`, whose flags it uses. */
export const playground: Attack = {
  name: 'playground',
  title: 'playground evaluations of costly constraints by a Viewer',
  prepare: async (yardarm) => {
    const exists = await yardarm.api.call('GET', '/api/admin/projects/default/features/costly-0').catch(() => null);
    if (!exists) await makeCostlyFlags(yardarm);
  },
  plan({ url, viewerToken: authorization }) {
    const context = { appName: 'playground', userId: `[<ab ${lengths[0]}>]` };
    const request: HostileRequest = {
      ...{ method: 'POST', path: '/api/admin/playground/advanced', headers: { ...json, authorization } },
      body: JSON.stringify({ projects: ['default'], environments: ['development'], context }),
    };
    return { kind: 'requests', url, connections, requests: [request] };
  },
};
