// What consoles ask an Enterprise edition for: the effective limits, and what Yardarm has none of.
import { addPerson, type TestPerson, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({
    UNLEASH_FEATURE_FLAGS_LIMIT: '1234',
    UNLEASH_API_TOKENS_LIMIT: '77',
    UNLEASH_SIGNAL_TOKENS_PER_ENDPOINT_LIMIT: '4',
  });
});
afterAll(() => system?.stop());

const configuration = async () => (await system.call('GET', '/api/admin/ui-config')).body;

test.each([
  ['/api/admin/license/check', { isValid: true }],
  ['/api/admin/user-access-requests', []],
  [
    '/api/admin/metrics/traffic?grouping=daily&from=2026-11-01&to=2026-11-30',
    { grouping: 'daily', dateRange: { from: '2026-11-01', to: '2026-11-30' }, apiData: [] },
  ],
  ['/api/instance/trafficBundles', { includedTraffic: 0, purchasedTraffic: 0 }],
  ['/api/admin/metrics/edges', []],
  ['/api/admin/remote-mcp/settings', { enabled: false }],
  ['/api/admin/invite-link/tokens', { tokens: [] }],
  ['/api/admin/scim-settings', { enabled: false, hasToken: false }],
  ['/api/admin/auth/simple/settings', { disabled: false }],
  ['/api/admin/auth/oidc/settings', { enabled: false }],
  ['/api/admin/auth/saml/settings', { enabled: false }],
  ['/api/admin/release-plan-templates', []],
  ['/api/admin/projects/default/release-templates?include=root', []],
  ['/api/admin/search/change-requests', { changeRequests: [], total: 0 }],
  ['/api/admin/projects/default/change-requests', []],
  ['/api/admin/projects/default/change-requests/pending', []],
  ['/api/admin/projects/default/change-requests/pending/a-flag', []],
  ['/api/admin/projects/default/change-requests/scheduled', []],
  ['/api/admin/projects/default/change-requests/actionable', { total: 0 }],
])('%s answers that there is none', async (path, body) => {
  expect(await system.call('GET', path)).toMatchObject({ status: 200, body });
});

test('feedback is stored for the user who gives it, and what a change does not name stays', async () => {
  const { id, cookie } = await addPerson(system, 3);
  const as = (method: string, path: string, body?: object) =>
    system.call(method, `/api/admin/${path}`, { token: null, headers: { cookie }, body });
  const feedback = { feedbackId: 'segments', neverShow: true };
  const created = await as('POST', 'feedback', feedback);
  expect(created).toMatchObject({ status: 200, body: { userId: id, ...feedback, given: null } });
  const given = '2026-02-27T12:00:00.000Z';
  const after = { userId: id, ...feedback, given };
  expect(await as('PUT', 'feedback/segments', { given })).toMatchObject({ status: 200, body: after });
  expect((await as('GET', 'user')).body).toMatchObject({ user: { id }, feedback: [after] });
  expect(await system.call('POST', '/api/admin/feedback', { body: feedback })).toMatchObject({ status: 403 });
});

test('a view of flags is saved for the user alone, replaced and deleted', async () => {
  const [ann, bob] = [await addPerson(system, 3), await addPerson(system, 3)];
  const path = '/api/admin/user/views';
  const as = ({ cookie }: TestPerson, method: string, place = path, body?: object) =>
    system.call(method, place, { token: null, headers: { cookie }, body });
  const made = await as(ann, 'POST', path, { name: 'Stale', query: 'state=stale' });
  expect(made).toMatchObject({ status: 201, body: { name: 'Stale', project: null, query: 'state=stale' } });
  const own = `${path}/${made.body.id}`;
  expect(made.headers.get('location')).toBe(own);
  expect(await as(ann, 'POST', path, { name: 'Stale', query: '' })).toMatchObject({ status: 409 });
  const refused = await as(ann, 'PUT', own, { name: 'Stale', query: '?state=stale' });
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringMatching(/\.query .*\?state=stale/) } });
  const replaced = await as(ann, 'PUT', own, { name: 'Old', project: 'default', query: '' });
  expect(replaced).toMatchObject({ status: 200, body: { ...made.body, name: 'Old', project: 'default', query: '' } });
  expect(await as(ann, 'GET')).toMatchObject({ status: 200, body: { views: [replaced.body] } });
  expect((await as(bob, 'GET')).body).toEqual({ views: [] });
  expect(await as(bob, 'DELETE', own)).toMatchObject({ status: 404 });
  expect(await as(ann, 'DELETE', own)).toMatchObject({ status: 200, text: '' });
  expect((await as(ann, 'GET')).body).toEqual({ views: [] });
});

test('errors of the console are accepted', async () => {
  const error = { errorMessage: 'x'.repeat(5000), errorStack: 'at app.js:1:1' };
  expect(await system.call('POST', '/api/admin/record-ui-error', { body: error })).toMatchObject({ status: 204 });
  // 30 a minute, and at most two minutes pass.
  const statuses: number[] = [];
  while (statuses.length < 61 && !statuses.includes(429)) {
    statuses.push((await system.call('POST', '/api/admin/record-ui-error', { body: error })).status);
  }
  expect(statuses.at(-1)).toBe(429);
});

test('the configuration has the limits of the settings, also while services are away', async () => {
  const limits = { featureFlags: 1234, apiTokens: 77, signalTokensPerEndpoint: 4, segments: 300, actionSetFilters: 5 };
  expect(await configuration()).toMatchObject({
    ...{
      environment: 'Enterprise',
      flags: { EEA: true, signals: true, automatedActions: true },
      resourceLimits: limits,
    },
  });
  await system.stopService('flags');
  await system.stopService('signals');
  expect(await configuration()).toMatchObject({ resourceLimits: limits });
});
