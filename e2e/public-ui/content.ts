import { addServiceAccount, administer, grantProjectRole, type TestReceiver, type TestSystem } from '@yardarm/testing';

const project = '/api/admin/projects/default';
const features = `${project}/features`;
const rollout = { rollout: '50', stickiness: 'default', groupId: 'checkout' };
const constraint = { contextName: 'userId', operator: 'IN', values: ['1', '2'] };
const variants = ['blue', 'green'].map((name) => ({
  ...{ name, weight: 500, weightType: 'variable', stickiness: 'default' },
  payload: { type: 'string', value: name },
}));

/** What pages of details need in their address. */
export interface Content {
  segment: number;
  strategy: string;
  role: number;
  projectRole: number;
  group: number;
  user: number;
  addon: number;
  endpoint: number;
}

/** Makes something of every kind, so that no page is empty. */
export async function makeContent(system: TestSystem, receiver: TestReceiver): Promise<Content> {
  const post = (path: string, body?: unknown) => administer(system, 'POST', path, body);
  const put = (path: string, body: unknown) => administer(system, 'PUT', path, body);

  await post('/api/admin/projects', {
    id: 'harbour',
    name: 'Harbour',
    description: 'Cranes',
    environments: ['development'],
  });
  await post('/api/admin/environments', { name: 'staging', type: 'preproduction' });
  await post(`${project}/environments`, { environment: 'staging' });
  await post('/api/admin/context', {
    ...{ name: 'port', description: 'Where it is', stickiness: true },
    legalValues: [{ value: 'north' }, { value: 'south', description: 'Deep' }],
  });
  await post('/api/admin/strategies', {
    ...{ name: 'tides', description: 'By tide' },
    parameters: [{ name: 'heights', type: 'list', required: true, description: 'In metres' }],
  });
  await post('/api/admin/tag-types', { name: 'team', description: 'Who owns it', icon: 'T' });
  await post('/api/admin/tags', { type: 'team', value: 'pilots' });
  const segment = (await post('/api/admin/segments', { name: 'pilots', constraints: [constraint] })).id;
  await post('/api/admin/segments', { name: 'cranes', project: 'harbour', constraints: [constraint] });

  for (const type of ['release', 'experiment', 'operational', 'kill-switch', 'permission'])
    await post(features, { name: `flag-${type}`, type, description: `A flag of the type ${type}` });
  await post(features, { name: 'flag-stale', type: 'release', impressionData: true });
  await post(`${project}/stale`, { features: ['flag-stale'], stale: true });
  await post(features, { name: 'flag-archived', type: 'release' });
  await administer(system, 'DELETE', `${features}/flag-archived`);
  await post('/api/admin/projects/harbour/features', { name: 'flag-harbour', type: 'release' });

  const strategies = `${features}/flag-release/environments/development/strategies`;
  const body = { name: 'flexibleRollout', title: 'half', parameters: rollout, constraints: [constraint], variants };
  const strategy = (await post(strategies, { ...body, segments: [segment] })).id;
  await post(strategies, { name: 'userWithId', parameters: { userIds: '1,2' } });
  await post(strategies, { name: 'tides', parameters: { heights: '1,2' } });
  for (const name of ['release', 'experiment']) await post(`${features}/flag-${name}/environments/development/on`);
  await put(`${features}/flag-experiment/variants-batch`, { environments: ['development'], variants });
  await post(`${features}/flag-experiment/dependencies`, { feature: 'flag-release' });
  await put('/api/admin/features/flag-release/tags', {
    addedTags: [{ type: 'team', value: 'pilots' }],
    removedTags: [],
  });
  await post(`${features}/flag-release/link`, { url: 'https://example.com/1', title: 'Plan' });
  await post(`${features}/flag-permission/lifecycle/complete`, { status: 'kept' });

  const tokens = { environment: 'development', projects: ['default'] };
  for (const type of ['client', 'frontend']) await post('/api/admin/api-tokens', { type, tokenName: type, ...tokens });
  await report(system);

  const addon = await post('/api/admin/addons', {
    ...{ provider: 'webhook', enabled: true, description: 'To the harbour', projects: ['*'], environments: ['*'] },
    ...{ parameters: { url: receiver.url }, events: ['feature-created', 'feature-environment-enabled'] },
  });

  const user = (await post('/api/admin/user-admin', { email: 'pilot@example.com', name: 'Pilot', rootRole: 3 })).id;
  const group = (
    await post('/api/admin/groups', { name: 'Pilots', description: 'All', users: [{ user: { id: user } }] })
  ).id;
  const permissions = [{ name: 'CREATE_FEATURE' }];
  const role = async (type: string, name: string) =>
    (await post('/api/admin/roles', { type, name, description: 'A role', permissions })).roles.id;
  const ids = { role: await role('root-custom', 'Maker'), projectRole: await role('custom', 'Builder') };
  await grantProjectRole(system, 'default', 5, { users: [user], groups: [group] });

  const robot = await addServiceAccount(system, 2);
  const endpoint = await post('/api/admin/signal-endpoints', { name: 'alerts', description: 'Of the harbour' });
  const { token } = await post(`/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' });
  await post(`${project}/actions`, {
    ...{
      name: 'Off at an alert',
      actorId: robot.id,
      match: { source: 'signal-endpoint', sourceId: endpoint.id, payload: {} },
    },
    actions: [
      {
        ...{ action: 'TOGGLE_FEATURE_OFF', sortOrder: 1 },
        executionParams: { project: 'default', environment: 'production', featureName: 'flag-kill-switch' },
      },
    ],
  });
  await system.call('POST', '/api/signal-endpoint/alerts', {
    token: `Bearer ${token}`,
    body: { severity: 'critical' },
  });
  await post('/api/admin/banners', {
    message: 'The **tide** is out',
    variant: 'warning',
    sticky: false,
    enabled: true,
  });
  await system.processAll();
  return { segment, strategy, ...ids, group, user, addon: addon.id, endpoint: endpoint.id };
}

/** Reports as an SDK does, also of a flag that does not exist. */
async function report(system: TestSystem): Promise<void> {
  const token = system.clientTokens.development;
  const app = { appName: 'shop', instanceId: 'one' };
  const send = (path: string, body: unknown) => system.call('POST', `/api/client/${path}`, { token, body });
  await send('register', {
    ...{ ...app, sdkVersion: 'unleash-client-node:5.0.0', interval: 10, strategies: ['default'] },
    started: new Date().toISOString(),
  });
  const toggles = { 'flag-release': { yes: 3, no: 1, variants: { blue: 2 } }, 'flag-unknown': { yes: 1, no: 0 } };
  const [start, stop] = [Date.now() - 1_000, Date.now()].map((time) => new Date(time).toISOString());
  await send('metrics', { ...app, bucket: { start, stop, toggles } });
}
