// The status of the whole system: what each process says of itself, and which services are away.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system?.stop());

interface ServiceStatus {
  name: string;
  isAway: boolean;
  replicas: { instance: string; version: string; isReady: boolean; parts: object; gauges: { name: string }[] }[];
}

async function services(): Promise<Record<string, ServiceStatus>> {
  const { status, body } = await system.call('GET', '/api/admin/instance-admin/status');
  expect(status).toBe(200);
  return Object.fromEntries((body.services as ServiceStatus[]).map((service) => [service.name, service]));
}

test('each service has its replicas, with version, readiness and waiting work', async () => {
  await system.addGateway();
  const found = await services();
  expect(Object.keys(found)).toEqual(['gateway', 'flags', 'events', 'integrations', 'signals', 'accounts']);
  expect(found.gateway!.replicas).toHaveLength(2);
  expect(new Set(found.gateway!.replicas.map(({ instance }) => instance)).size).toBe(2);
  const [flags] = found.flags!.replicas;
  expect(found.flags).toMatchObject({
    isAway: false,
    replicas: [{ isReady: true, parts: { database: null, bus: null } }],
  });
  expect(flags!.gauges.map(({ name }) => name)).toContain('yardarm_outbox_rows');
});

test('the statistics count what there is, as JSON and as CSV', async () => {
  const features = '/api/admin/projects/default/features';
  for (const name of ['counted', 'archived']) await system.call('POST', features, { body: { name } });
  await system.call('DELETE', `${features}/archived`);
  const constraints = [
    { contextName: 'userId', operator: 'IN', values: ['1', '2', '3'] },
    { contextName: 'age', operator: 'NUM_GT', value: '1' },
  ];
  const strategy = { name: 'default', constraints };
  await system.call('POST', `${features}/counted/environments/production/strategies`, { body: strategy });
  await system.processAll();
  const path = '/api/admin/instance-admin/statistics';
  const { status, body } = await system.call('GET', path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ...{ instanceId: expect.stringMatching(/^[0-9a-f-]{36}$/), featureToggles: 1, projects: 1, environments: 2 },
    ...{ users: 1, readOnlyUsers: 0, licensedUsers: 1, apiTokens: { admin: 1, client: 2, frontend: 0 }, groups: 0 },
    ...{ maxEnvironmentStrategies: 1, maxConstraints: 2, maxConstraintValues: 3, strategies: 8 },
    // The strategy, and the token of the settings.
    productionChanges: { last30: 2, last60: 2, last90: 2 },
    clientApps: [
      { range: 'allTime', count: 0 },
      { range: '30d', count: 0 },
      { range: '7d', count: 0 },
    ],
    ...{ featureImports: 0, featureExports: 0, SAMLenabled: false, OIDCenabled: false },
  });
  const csv = await system.call('GET', `${path}/csv`);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [names, values, end] = csv.text.split('\r\n').map((line) => line.split(','));
  expect(end).toEqual(['']);
  expect(values).toHaveLength(names!.length);
  expect(values![names!.indexOf('maxConstraintValues')]).toBe('3');
  expect(values![names!.indexOf('clientApps.30d')]).toBe('0');
});

test('a service that has stopped is away, and the others are there', async () => {
  await system.stopService('signals');
  const found = await services();
  expect(found.signals).toEqual({ name: 'signals', isAway: true, replicas: [] });
  expect(found.integrations!.isAway).toBe(false);
});
