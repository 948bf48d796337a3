import {
  addPerson,
  addServiceAccount,
  administer,
  startReceiver,
  type TestPerson,
  type TestSystem,
} from '@yardarm/testing';
import { rootRoles } from '../set-up-console.ts';
import { sendSignal } from '../signals.ts';
import { hostileMarkdown as markdown, hostileText as text } from './texts.ts';

export const flagPath = '/projects/default/features/checkout-1';
const features = '/api/admin/projects/default/features';
const flag = `${features}/checkout-1`;

/** What was written, by operation of the API, such as `POST /api/admin/roles`. */
export type Written = Map<string, unknown[]>;

export interface HostileSystem {
  written: Written;
  /** Its user and group names are hostile too. */
  admin: TestPerson;
  strategyId: string;
  roleId: number;
}

/** A webhook's receiver refuses each event with a hostile answer. */
async function addFailingWebhook(write: Write): Promise<() => Promise<void>> {
  const receiver = await startReceiver((response) =>
    response.writeHead(500, { 'content-type': 'text/html' }).end(text('answer')),
  );
  const parameters = { url: receiver.url, bodyTemplate: `{{event.type}} ${text('template')}` };
  await write('POST', '/api/admin/addons', {
    ...{ provider: 'webhook', enabled: true, description: text('webhook'), parameters },
    events: ['feature-created', 'feature-updated'],
  });
  return () => receiver.close();
}

// biome-ignore lint/suspicious/noExplicitAny: as administer
type Write = (method: string, path: string, body: object) => Promise<any>;

/** Fills each field that a person, an SDK, a sender or a receiver can fill, under the ids of `screens`. */
export async function fillHostile(system: TestSystem): Promise<HostileSystem> {
  const written: Written = new Map();
  const write: Write = (method, path, body) => {
    const operation = `${method} ${path}`;
    written.set(operation, [...(written.get(operation) ?? []), body]);
    return administer(system, method, path, body);
  };
  const closeReceiver = await addFailingWebhook(write);
  const strategyId = await fillFlags(write);
  const { admin, roleId } = await fillAdministration(system, write);
  written.set('POST /api/admin/user/views', [await saveView(system, admin)]);
  await fillSignals(system, write);
  await reportUsage(system);
  await system.processAll();
  await closeReceiver();
  return { written, admin, strategyId, roleId };
}

/** A view belongs to the user who is logged in. */
async function saveView({ call }: TestSystem, { cookie }: TestPerson): Promise<object> {
  const body = { name: text('saved-view', 100), query: 'state=active' };
  const { status } = await call('POST', '/api/admin/user/views', { token: null, headers: { cookie }, body });
  if (status !== 201) throw new Error(`The view was not saved: ${status}`);
  return body;
}

async function fillFlags(write: Write): Promise<string> {
  const condition = (field: string) => [
    { contextName: 'userId', operator: 'IN', values: [text(`${field}-values`, 1000)] },
    { contextName: 'appName', operator: 'STR_CONTAINS', values: [text(`${field}-contains`, 1000)] },
  ];
  const segment = { name: text('segment', 100), description: text('segment-description') };
  const { id } = await write('POST', '/api/admin/segments', { ...segment, constraints: condition('segment') });
  await write('POST', '/api/admin/tag-types', { name: 'squad', description: text('tag-type'), icon: text('icon', 50) });
  await write('POST', '/api/admin/strategies', {
    ...{ name: 'country', title: text('strategy-type-title', 255), description: text('strategy-type') },
    parameters: [{ name: text('parameter', 100), type: 'string', description: text('parameter-description', 1000) }],
  });
  await write('POST', '/api/admin/context', {
    ...{ name: 'hostile', description: text('context-field') },
    legalValues: [{ value: text('legal-value', 100), description: text('legal-value-description', 100) }],
  });
  await write('POST', '/api/admin/projects/default/context', { name: 'basket' });
  await write('POST', '/api/admin/projects', {
    ...{ id: 'elsewhere', name: text('other-project', 100), description: text('other-project-description') },
  });
  await write('POST', '/api/admin/environments', { name: 'hostile', type: text('environment-type', 100) });
  await write('PUT', '/api/admin/projects/default', {
    name: text('project', 100),
    description: text('project-description'),
  });
  await write('PUT', '/api/admin/projects/default/settings', {
    mode: 'open',
    featureNaming: { pattern: '.*', example: 'checkout-1', description: text('naming') },
    linkTemplates: [{ title: text('link-template', 255), urlTemplate: 'https://example.com/{{feature}}' }],
  });
  const tags = [{ type: 'simple', value: text('tag', 50) }];
  await write('POST', features, { name: 'checkout-1', description: text('flag'), tags });
  await write('POST', `${flag}/link`, { url: 'https://example.com/1', title: text('link', 255) });
  await write('POST', `${flag}/environments/development/on`, {});
  const strategy = {
    ...{ name: 'flexibleRollout', title: text('strategy', 255), segments: [id], constraints: condition('strategy') },
    parameters: { rollout: '50', stickiness: 'default', groupId: text('group-id', 100) },
    variants: [
      {
        ...{ name: text('variant', 100), weight: 1000, weightType: 'variable', stickiness: 'default' },
        payload: { type: 'string', value: text('payload') },
      },
    ],
  };
  const strategies = `${flag}/environments/development/strategies`;
  const { segments: _, ...ofProject } = strategy;
  await write('POST', '/api/admin/projects/default/environments/production/default-strategy', ofProject);
  await write('POST', `/api/admin/features/checkout-1/tags`, { type: 'simple', value: text('later-tag', 50) });
  await write('POST', strategies, { name: 'country', title: text('own-strategy', 255), parameters: { x: text('x') } });
  return (await write('POST', strategies, strategy)).id;
}

async function fillAdministration(system: TestSystem, write: Write) {
  const admin = await addPerson(system, rootRoles.admin);
  await write('POST', '/api/admin/user-admin', {
    ...{ username: text('username', 100), name: text('other-user', 255), rootRole: rootRoles.viewer },
  });
  await write('PUT', `/api/admin/user-admin/${admin.id}`, { name: text('user', 255), rootRole: rootRoles.admin });
  const role = { name: text('role', 100), description: text('role-description', 500), type: 'custom' };
  const permissions = [{ name: 'UPDATE_FEATURE' }];
  const { roles } = await write('POST', '/api/admin/roles', { ...role, permissions });
  await write('POST', '/api/admin/groups', {
    ...{ name: text('group', 255), description: text('group-description'), users: [{ user: { id: admin.id } }] },
  });
  await write('POST', `/api/admin/projects/default/access`, { roles: [roles.id], users: [admin.id], groups: [1] });
  await write('POST', '/api/admin/service-account', {
    ...{ username: text('account-username', 100), name: text('account', 255), rootRole: rootRoles.viewer },
  });
  const expiresAt = '2999-01-01T00:00:00Z';
  const account = await addServiceAccount(system, rootRoles.editor);
  const ofAccount = `/api/admin/service-account/${account.id}/token`;
  await write('POST', ofAccount, { description: text('account-token', 255), expiresAt });
  await write('POST', '/api/admin/api-tokens', {
    ...{ type: 'client', tokenName: text('api-token', 100), environment: 'development', projects: ['*'] },
  });
  await write('POST', '/api/admin/projects/default/api-tokens', {
    ...{ type: 'client', tokenName: text('project-token', 100), environment: 'development' },
  });
  await write('POST', '/api/admin/banners', {
    ...{ message: markdown('banner'), link: 'dialog', linkText: text('banner-link', 255) },
    ...{ dialogTitle: text('dialog-title', 255), dialog: markdown('dialog') },
  });
  return { admin, roleId: roles.id as number };
}

async function fillSignals(system: TestSystem, write: Write): Promise<void> {
  const endpoint = { name: 'alerts', description: text('endpoint'), ratePerSecond: 100 };
  const { id } = await write('POST', '/api/admin/signal-endpoints', endpoint);
  const tokens = `/api/admin/signal-endpoints/${id}/tokens`;
  const { token } = await write('POST', tokens, { name: text('endpoint-token', 100) });
  const account = await addServiceAccount(system, rootRoles.editor);
  await write('POST', '/api/admin/projects/default/actions', {
    ...{ name: text('action-set', 100), description: text('action-set-description'), actorId: account.id },
    match: {
      ...{ source: 'signal-endpoint', sourceId: id },
      payload: { 'labels.x': { operator: 'STR_CONTAINS', values: ['signal', text('filter')] } },
    },
    actions: [
      {
        ...{ action: 'TOGGLE_FEATURE_OFF', sortOrder: 1 },
        executionParams: { project: 'default', environment: 'production', featureName: 'checkout-1' },
      },
    ],
  });
  await sendSignal(system, token, 'alerts', { labels: { x: text('signal') }, [text('signal-key', 200)]: 1 });
}

async function reportUsage({ call, clientTokens }: TestSystem): Promise<void> {
  const token = clientTokens.development;
  const started = new Date().toISOString();
  const sdk = {
    appName: text('application', 255),
    instanceId: text('instance', 255),
    sdkVersion: 'unleash-client-node:6',
  };
  await call('POST', '/api/client/register', {
    token,
    body: { ...sdk, started, interval: 10, strategies: [text('strategy-of-sdk', 100)] },
  });
  const toggles = { 'checkout-1': { yes: 1, no: 0, variants: { [text('counted-variant', 100)]: 1 } } };
  const bucket = { start: started, stop: started, toggles };
  await call('POST', '/api/client/metrics', { token, body: { ...sdk, bucket } });
}
