// The main path: the real SDK sees that a flag is made and switched on, its events are in the log and reach a webhook,
// and the outcome is listed. All six services run in this process on real Postgres and NATS.
import {
  eventually,
  longTest,
  type ReceivedRequest,
  startReceiver,
  type TestReceiver,
  type TestSystem,
} from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { InMemStorageProvider, startUnleash, type Unleash } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;
let receiver: TestReceiver;

beforeAll(async () => {
  [system, receiver] = await Promise.all([startSystem(), startReceiver()]);
});

afterAll(async () => {
  await system?.stop();
  await receiver?.close();
});

const features = '/api/admin/projects/default/features';

describe('a flag change', () => {
  let sdk: Unleash;

  beforeAll(async () => {
    sdk = await startUnleash({
      url: `${system.url}/api/`,
      appName: 'e2e',
      refreshInterval: 50,
      skipInstanceCountWarning: true,
      storageProvider: new InMemStorageProvider(),
      customHeaders: { Authorization: system.clientTokens.development },
    });
  });

  afterAll(() => sdk?.destroy());

  test('reaches the real SDK while it runs', async () => {
    const made = await system.call('POST', features, {
      body: { name: 'sdk-flag', type: 'release', description: 'for the SDK' },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: 'sdk-flag',
      project: 'default',
      archived: false,
      stale: false,
      enabled: false,
    });
    expect(sdk.isEnabled('sdk-flag')).toBe(false);

    const on = await system.call('POST', `${features}/sdk-flag/environments/development/on`);
    expect(on.status).toBe(200);
    await eventually(() => expect(sdk.isEnabled('sdk-flag')).toBe(true));

    const off = await system.call('POST', `${features}/sdk-flag/environments/development/off`);
    expect(off.status).toBe(200);
    await eventually(() => expect(sdk.isEnabled('sdk-flag')).toBe(false));
  });

  test('lets the SDK evaluate a strategy with a constraint', async () => {
    await system.call('POST', features, { body: { name: 'constrained' } });
    const strategy = await system.call('POST', `${features}/constrained/environments/development/strategies`, {
      body: {
        name: 'flexibleRollout',
        parameters: { rollout: '100', stickiness: 'userId', groupId: 'constrained' },
        constraints: [{ contextName: 'userId', operator: 'IN', values: ['7', '8'] }],
      },
    });
    expect(strategy.status).toBe(200);
    expect(strategy.body).toMatchObject({ name: 'flexibleRollout', featureName: 'constrained', disabled: false });
    await system.call('POST', `${features}/constrained/environments/development/on`);
    await eventually(() => expect(sdk.isEnabled('constrained', { userId: '7' })).toBe(true));
    expect(sdk.isEnabled('constrained', { userId: '9' })).toBe(false);
  });
});

describe('the event log and the integrations', () => {
  test('record and deliver every change in order', async () => {
    // An integration receives what is recorded after it is made, so also earlier changes that are not recorded yet.
    await system.processAll();
    const addon = await system.call('POST', '/api/admin/addons', {
      body: {
        provider: 'webhook',
        enabled: true,
        description: 'e2e',
        parameters: { url: `${receiver.url}/hook` },
        events: ['feature-created', 'feature-metadata-updated', 'feature-environment-enabled', 'feature-stale-on'],
      },
    });
    expect(addon.status).toBe(201);
    expect(addon.body.parameters.url).not.toContain('127.0.0.1');

    await system.call('POST', features, { body: { name: 'logged', description: 'before' } });
    const patched = await system.call('PATCH', `${features}/logged`, {
      body: [
        { op: 'replace', path: '/description', value: 'after' },
        { op: 'replace', path: '/stale', value: true },
      ],
    });
    expect(patched.status).toBe(200);
    expect(patched.body).toMatchObject({ name: 'logged', description: 'after', stale: true });
    await system.call('POST', `${features}/logged/environments/production/on`);
    await system.processAll();

    const found = await system.call('POST', '/api/admin/events/search', { body: { feature: 'logged' } });
    expect(found.status).toBe(200);
    expect(found.body.version).toBe(1);
    expect(found.body.totalEvents).toBe(found.body.events.length);
    const types: string[] = found.body.events.map((event: { type: string }) => event.type).reverse();
    expect(types.slice(0, 3)).toEqual(['feature-created', 'feature-metadata-updated', 'feature-stale-on']);
    expect(types).toContain('feature-environment-enabled');
    const ids: number[] = found.body.events.map((event: { id: number }) => event.id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    const updated = found.body.events.find((event: { type: string }) => event.type === 'feature-metadata-updated');
    expect(updated).toMatchObject({
      data: { description: 'after' },
      preData: { description: 'before' },
      project: 'default',
    });

    const bodies = receiver.received.filter(({ path }) => path === '/hook').map(({ body }) => JSON.parse(body));
    expect(bodies.filter(({ featureName }) => featureName === 'logged').map(({ type }) => type)).toEqual([
      'feature-created',
      'feature-metadata-updated',
      'feature-stale-on',
      'feature-environment-enabled',
    ]);
    // The search adds texts and the group, which are not in the event.
    const { label: _label, summary: _summary, groupType: _type, groupId: _id, ...event } = updated;
    expect(bodies.find(({ type }) => type === 'feature-metadata-updated')).toEqual(event);

    const outcomes = await system.call('GET', `/api/admin/addons/${addon.body.id}/events?limit=2&offset=1`);
    expect(outcomes.status).toBe(200);
    expect(outcomes.body.integrationEvents).toHaveLength(2);
    for (const outcome of outcomes.body.integrationEvents) {
      expect(outcome).toMatchObject({
        integrationId: addon.body.id,
        state: 'success',
        event: { featureName: 'logged' },
      });
      expect(outcome.id).toMatch(/^[0-9]+$/);
    }
  });

  test('describe a failed delivery', async () => {
    receiver.answerWith((request: ReceivedRequest) => (request.path === '/broken' ? 500 : 200));
    const addon = await system.call('POST', '/api/admin/addons', {
      body: {
        provider: 'webhook',
        enabled: true,
        parameters: { url: `${receiver.url}/broken` },
        events: ['feature-created'],
      },
    });
    await system.call('POST', features, { body: { name: 'fails' } });
    await system.processAll();
    const outcomes = await system.call('GET', `/api/admin/addons/${addon.body.id}/events`);
    expect(outcomes.body.integrationEvents).toMatchObject([
      {
        state: 'failed',
        stateDetails: 'Webhook request failed with status code: 500',
        event: { type: 'feature-created', featureName: 'fails' },
      },
    ]);
  });

  longTest('answer a page that is larger than a message of NATS', async () => {
    await system.call('POST', features, { body: { name: 'large' } });
    const strategy = { name: 'userWithId', parameters: { userIds: 'x'.repeat(200_000) } };
    const path = `${features}/large/environments`;
    await system.call('POST', `${path}/development/strategies`, { body: strategy });
    await system.call('POST', `${path}/production/strategies`, { body: strategy });
    const six = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map(async (name) => {
        await system.call('POST', features, { body: { name: `large-${name}` } });
        return system.call('POST', `${features}/large-${name}/environments/development/strategies`, { body: strategy });
      }),
    );
    expect(six.map(({ status }) => status)).toEqual(Array(6).fill(200));
    await system.processAll();
    const found = await system.call('POST', '/api/admin/events/search', { body: { type: 'feature-strategy-add' } });
    expect(found.status).toBe(200);
    expect(found.text.length).toBeGreaterThan(1_500_000);
    expect(found.body.events.length).toBe(found.body.totalEvents);
  });
});
