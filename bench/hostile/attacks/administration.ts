import type { Yardarm } from '../../system/yardarm.ts';
import type { Attack } from '../attack.ts';

export const json = { 'content-type': 'application/json' };

/** As many tabs and scripts as a person runs at once. */
export const connections = 15;

/** Near the bound of a flag, with constraints of few long values. */
const largeFlagBytes = 450_000;
const maxValueBytes = 90;
/** An id that is filled in has 32 characters, and its placeholder 6. */
const idGrowth = 26;

function largeConstraints(): object[] {
  const values = Array.from({ length: 1_000 }, (_, n) => `${n}-[<id>]`.padEnd(maxValueBytes - idGrowth, 'x'));
  const count = Math.floor(largeFlagBytes / (1_000 * maxValueBytes));
  return Array.from({ length: count }, () => ({ contextName: 'userId', operator: 'IN', values, inverted: false }));
}

export const environment = 'development';

function largeImport(project: string, name: string): object {
  const strategy = { name: 'default', featureName: name, constraints: largeConstraints() };
  const data = { features: [{ name, type: 'release', project }], featureStrategies: [strategy] };
  return { project, environment, data };
}

export const largeFlags: Attack = {
  name: 'large-flags',
  title: 'imports of flags of 450 kB by a member of one project',
  plan({ url, memberProject: project, memberToken: authorization }) {
    const body = JSON.stringify(largeImport(project, 'large-[<id>]'));
    const headers = { ...json, authorization };
    return {
      ...{ kind: 'requests', url, connections },
      requests: [{ method: 'POST', path: '/api/admin/features-batch/import', headers, body }],
    };
  },
};

/** So many have 9 MB. The projects of two attacks leave half of the environment to the attack that fills it. */
const readCount = 20;

const namesOf = (project: string) => Array.from({ length: readCount }, (_, n) => `${project}-${n}`);

/** The project of two attacks. */
export const largeProject = 'searched';

/** Makes a project with large flags, which no bystander uses, unless there is one. */
export async function makeLargeProject({ api }: Yardarm, id: string): Promise<void> {
  if (await api.call('GET', `/api/admin/projects/${id}/overview`).catch(() => null)) return;
  await api.call('POST', '/api/admin/projects', { id, name: id });
  for (const name of namesOf(id)) await api.call('POST', '/api/admin/features-batch/import', largeImport(id, name));
}

export const largeSearches: Attack = {
  name: 'searches',
  title: 'searches for 20 flags of 450 kB with their targeting, for a Viewer',
  prepare: (yardarm) => makeLargeProject(yardarm, largeProject),
  plan: ({ url, viewerToken: authorization }) => ({
    ...{ kind: 'requests', url, connections },
    requests: [
      {
        ...{ method: 'GET', path: `/api/admin/search/features?project=IS:${largeProject}&targeting=true&limit=100` },
        headers: { authorization },
      },
    ],
  }),
};

export const largeExports: Attack = {
  name: 'exports',
  title: 'exports of 20 flags of 450 kB for a Viewer',
  prepare: (yardarm) => makeLargeProject(yardarm, 'exported'),
  plan: ({ url, viewerToken: authorization }) => ({
    ...{ kind: 'requests', url, connections },
    requests: [
      {
        ...{ method: 'POST', path: '/api/admin/features-batch/export', headers: { ...json, authorization } },
        body: JSON.stringify({ environment, features: namesOf('exported') }),
      },
    ],
  }),
};

/** Near the largest document of an import, which has 20 MB. */
const documentBytes = 19_000_000;

export const documents: Attack = {
  name: 'documents',
  title: 'compressed documents of 19 MB, which a Viewer may not import',
  plan({ url, viewerToken: authorization }) {
    const count = Math.floor(documentBytes / 200);
    const features = Array.from({ length: count }, (_, n) => ({ name: `flag-${n}`, description: 'x'.repeat(150) }));
    const body = JSON.stringify({ project: 'default', environment: 'development', data: { features } });
    const headers = { ...json, 'content-encoding': 'gzip', authorization };
    return {
      ...{ kind: 'requests', url, connections },
      requests: [{ method: 'POST', path: '/api/admin/features-batch/validate', headers, body, isCompressed: true }],
    };
  },
};

/** As many as a page has, each as large as the longest description. */
const largeEvents = 1_000;
const descriptionLength = 10_000;

async function makeLargeEvents({ api }: Yardarm): Promise<void> {
  const path = '/api/admin/projects/default/features';
  await api.call('POST', path, { name: 'described' });
  for (let n = 0; n < largeEvents; n += 1) {
    const value = String(n).padEnd(descriptionLength, 'x');
    await api.call('PATCH', `${path}/described`, [{ op: 'replace', path: '/description', value }]);
  }
}

export const eventPages: Attack = {
  name: 'event-pages',
  title: 'pages of 1,000 large events for a Viewer',
  prepare: makeLargeEvents,
  plan: ({ url, viewerToken: authorization }) => ({
    ...{ kind: 'requests', url, connections },
    requests: [{ method: 'GET', path: '/api/admin/search/events?limit=1000', headers: { authorization } }],
  }),
};

export const consoleErrors: Attack = {
  name: 'console-errors',
  title: 'errors of the console of a Viewer, which are written to the log',
  plan: ({ url, viewerToken: authorization }) => ({
    ...{ kind: 'requests', url, connections },
    requests: [
      {
        ...{ method: 'POST', path: '/api/admin/record-ui-error', headers: { ...json, authorization } },
        body: JSON.stringify({ errorMessage: '[<ab 1000>]', errorStack: '[<ab 10000>]' }),
      },
    ],
  }),
};
