import type { Attack } from '../attack.ts';
import { memberProject } from '../target.ts';
import { connections, environment, json } from './administration.ts';

const names = Array.from({ length: 500 }, (_, n) => `bulk-${n}`);

const importOf = (description: string) => ({
  ...{ project: memberProject, environment },
  data: { features: names.map((name) => ({ name, type: 'release', description })), featureStrategies: [] },
});

export const bulkChanges: Attack = {
  name: 'bulk',
  title: 'switches and imports of 500 flags by a member of one project',
  async prepare({ api }) {
    await api.call('POST', '/api/admin/features-batch/import', importOf('first'));
  },
  plan({ url, memberToken: authorization }) {
    const headers = { ...json, authorization };
    const switches = `/api/admin/projects/${memberProject}/bulk_features/environments/${environment}`;
    const request = (path: string, body: object) => ({
      ...{ method: 'POST' as const, path, headers },
      body: JSON.stringify(body),
    });
    return {
      ...{ kind: 'requests', url, connections },
      requests: [
        request(`${switches}/on`, { features: names }),
        request('/api/admin/features-batch/import', importOf('[<id>]')),
        request(`${switches}/off`, { features: names }),
      ],
    };
  },
};

/** As many values as the query of a filter has in 4 kB. */
const manyValues = (value: string) => Array.from({ length: 1_000 }, () => value).join(',');

export const manySearches: Attack = {
  name: 'many-searches',
  title: 'searches with 3,000 values on 1,000 connections of a Viewer',
  plan({ url, viewerToken: authorization }) {
    const [flag, tag] = [manyValues('a'), manyValues('a:b')];
    const query = `tag=INCLUDE_ANY_OF:${tag}&project=IS_ANY_OF:${flag}&type=IS_ANY_OF:${flag}`;
    return {
      ...{ kind: 'requests', url, connections: 1_000 },
      requests: [{ method: 'GET', path: `/api/admin/search/features?${query}`, headers: { authorization } }],
    };
  },
};

/** So many of 35 characters are below the 2 MB of a report. */
const reportedFlags = 50_000;

export const reports: Attack = {
  name: 'reports',
  title: 'reports of 50,000 flags with one client token',
  plan({ url, sdkToken: authorization }) {
    const toggles = Object.fromEntries(Array.from({ length: reportedFlags }, (_, n) => [`f-${n}`, { yes: 1, no: 0 }]));
    const at = new Date().toISOString();
    const body = JSON.stringify({
      appName: 'hostile',
      instanceId: 'hostile',
      bucket: { start: at, stop: at, toggles },
    });
    const headers = { ...json, authorization };
    return {
      ...{ kind: 'requests', url, connections },
      requests: [{ method: 'POST', path: '/api/client/metrics', headers, body }],
    };
  },
};
