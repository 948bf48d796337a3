// Projects over HTTP: their life, and the answers that join what flags, accounts and events know of them.
import { addPerson, type TestPerson, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const path = '/api/admin/projects';

let system: TestSystem;
let ann: TestPerson;

beforeAll(async () => {
  system = await startSystem({ UNLEASH_URL: 'https://flags.example.com' });
  ann = await addPerson(system, 2);
});

afterAll(() => system?.stop());

const ask = (method: string, to: string, body?: unknown) => system.call(method, to, { token: ann.token, body });

test('a project is made with 201 and its location, changed, archived, revived and deleted', async () => {
  const made = await ask('POST', path, { id: 'life', name: 'Life' });
  expect(made).toMatchObject({ status: 201, body: { id: 'life', environments: ['development', 'production'] } });
  expect(made.headers.get('location')).toBe(`${path}/life`);
  expect(await ask('POST', path, { id: 'life', name: 'Again' })).toMatchObject({
    ...{ status: 409, body: { name: 'NameExistsError' } },
  });
  expect(await ask('POST', `${path}/validate`, { id: 'life' })).toMatchObject({ status: 409 });
  expect(await ask('POST', `${path}/validate`, { id: 'free' })).toMatchObject({ status: 200 });
  expect(await ask('PUT', `${path}/life`, { name: 'Changed', mode: 'private' })).toMatchObject({ status: 400 });
  expect(await ask('PUT', `${path}/life`, { name: 'Changed', unknown: 1 })).toMatchObject({ status: 200 });
  const settings = { featureNaming: { pattern: 'life\\..+' }, linkTemplates: [{ urlTemplate: 'https://x.example' }] };
  expect(await ask('PUT', `${path}/life/settings`, settings)).toMatchObject({ status: 200 });
  expect(await ask('POST', `${path}/life/features`, { name: 'death' })).toMatchObject({ status: 400 });
  expect(await ask('POST', `${path}/archive/life`)).toMatchObject({ status: 200 });
  expect((await ask('GET', `${path}?archived=true`)).body.projects).toMatchObject([{ id: 'life', name: 'Changed' }]);
  expect(await ask('POST', `${path}/revive/life`)).toMatchObject({ status: 200 });
  expect(await ask('DELETE', `${path}/life`)).toMatchObject({ status: 200, text: '' });
  expect(await ask('GET', `${path}/life/overview`)).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('lists, overviews and the dashboard show members, owners, tokens, flags and activity', async () => {
  await ask('POST', path, { id: 'shown', name: 'Shown' });
  // accounts makes the creator Owner when it handles the event.
  await system.processAll();
  const token = { username: 'sdk', type: 'client', environment: 'development', projects: ['shown'] };
  await system.call('POST', '/api/admin/api-tokens', { body: token });
  await ask('POST', `${path}/shown/features`, { name: 'shown-flag' });
  await ask('POST', `${path}/shown/favorites`);
  await system.processAll();

  const owner = { ownerType: 'user', name: ann.username, email: null, imageUrl: expect.any(String) };
  const onboardingStatus = { status: 'first-flag-created', feature: 'shown-flag' };
  const { body: list } = await ask('GET', path);
  expect(list.version).toBe(1);
  expect(list.projects.map(({ id }: { id: string }) => id)).toEqual(['default', 'shown']);
  expect(list.projects[0]).toMatchObject({ owners: [{ ownerType: 'system' }], memberCount: 0, favorite: false });
  expect(list.projects[1]).toMatchObject({
    ...{ featureCount: 1, memberCount: 1, favorite: true, owners: [owner], technicalDebt: 0, onboardingStatus },
  });

  expect((await ask('GET', `${path}/shown/overview`)).body).toMatchObject({
    ...{ version: 1, name: 'Shown', members: 1, favorite: true, onboardingStatus },
    environments: [{ environment: 'development' }, { environment: 'production' }],
    featureTypeCounts: [{ type: 'release', count: 1 }],
    stats: { createdCurrentWindow: 1, projectMembersAddedCurrentWindow: 1, projectActivityPastWindow: 0 },
  });
  const { body: status } = await ask('GET', `${path}/shown/status`);
  expect(status).toMatchObject({
    ...{ resources: { members: 1, apiTokens: 1, segments: 0 }, health: { current: 100 }, staleFlags: { total: 0 } },
    lifecycleSummary: { initial: { currentFlags: 1 }, archived: { currentFlags: 0, last30Days: 0 } },
  });
  expect(status.activityCountByDate.at(-1).count).toBeGreaterThanOrEqual(3);
  expect((await ask('GET', `${path}/shown/flag-creators`)).body).toEqual([{ id: ann.id, name: ann.username }]);
  const { body: creators } = await ask('GET', '/api/admin/flag-creators?limit=10000');
  expect(creators.flagCreators).toContainEqual({ id: ann.id, name: ann.username });
  expect(creators.total).toBe(creators.flagCreators.length);
  const { body: past } = await ask('GET', `/api/admin/flag-creators?offset=${creators.total}`);
  expect(past).toEqual({ flagCreators: [], total: creators.total });

  const { body: dashboard } = await ask('GET', '/api/admin/personal-dashboard');
  expect(dashboard.flags).toEqual([{ name: 'shown-flag', project: 'shown', type: 'release' }]);
  expect(dashboard.projects.map(({ id }: { id: string }) => id)).toContain('shown');
  expect(dashboard.projectOwners).toEqual([owner]);
  expect(dashboard.admins).toContainEqual(expect.objectContaining({ username: 'admin' }));
  const { body: details } = await ask('GET', '/api/admin/personal-dashboard/shown');
  expect(details).toMatchObject({
    ...{ onboardingStatus, owners: [owner], roles: [{ id: 4, name: 'Owner', type: 'project' }] },
    insights: { totalFlags: 1, activeFlags: 1, staleFlags: 0, potentiallyStaleFlags: 0, technicalDebt: 0 },
  });
  expect(details.latestEvents.map(({ summary }: { summary: string }) => summary).join('\n')).toContain('shown-flag');
  expect(await ask('GET', '/api/admin/personal-dashboard/nowhere')).toMatchObject({ status: 404 });
});

test('insights, health report and dora show stale flags, and the time of flags that were switched on in production', async () => {
  await ask('POST', path, { id: 'insightful', name: 'Insightful' });
  const features = `${path}/insightful/features`;
  const switchOn = async (name: string, environment = 'production') => {
    expect((await ask('POST', `${features}/${name}/environments/${environment}/on`)).status).toBe(200);
  };
  const shelve = async (name: string) => expect((await ask('DELETE', `${features}/${name}`)).status).toBe(202);
  for (const name of ['again', 'fast', 'shelved', 'slow', 'stale', 'tested'])
    await ask('POST', features, { name, type: 'release' });
  await ask('POST', features, { name: 'breaker', type: 'kill-switch' });
  for (const name of ['again', 'fast', 'shelved', 'slow', 'breaker']) await switchOn(name);
  await switchOn('tested', 'development');
  for (const name of ['again', 'shelved']) await shelve(name);
  // Another flag of the name was never switched on.
  await ask('DELETE', '/api/admin/archive/again');
  await ask('POST', features, { name: 'again', type: 'release' });
  await ask('PATCH', `${features}/stale`, [{ op: 'replace', path: '/stale', value: true }]);
  await system.database.rows(`
    update flags.features set created_at = created_at - interval '61 hours' where name = 'slow'`);
  await system.processAll();

  const leadTime = {
    features: [
      { name: 'fast', timeToProduction: 0 },
      { name: 'shelved', timeToProduction: 0 },
      { name: 'slow', timeToProduction: 2 },
    ],
    projectAverage: 0.7,
  };
  expect((await ask('GET', `${path}/insightful/dora`)).body).toEqual(leadTime);
  const counts = { activeCount: 5, potentiallyStaleCount: 0, staleCount: 1 };
  const { body: insights } = await ask('GET', `${path}/insightful/insights`);
  expect(insights).toMatchObject({
    ...{ leadTime, members: { currentMembers: 1, change: 1 } },
    health: { rating: 83, ...counts },
    technicalDebt: { rating: 17, ...counts },
    featureTypeCounts: [
      { type: 'kill-switch', count: 1 },
      { type: 'release', count: 5 },
    ],
    stats: { createdCurrentWindow: 7, archivedCurrentWindow: 1, projectMembersAddedCurrentWindow: 1 },
  });
  expect(insights.stats.projectActivityCurrentWindow).toBeGreaterThan(10);
  const { body: report } = await ask('GET', `${path}/insightful/health-report`);
  expect(report).toMatchObject({
    ...{ version: 1, name: 'Insightful', members: 1, health: 83, technicalDebt: 17, stats: insights.stats, ...counts },
    environments: [{ environment: 'development' }, { environment: 'production' }],
  });
  const names = report.features.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['again', 'breaker', 'fast', 'slow', 'stale', 'tested']);
  for (const view of ['insights', 'health-report', 'dora'])
    expect(await ask('GET', `${path}/nowhere/${view}`)).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('a new or changed user has the root role as it was sent', async () => {
  const admin = '/api/admin/user-admin';
  const made = await system.call('POST', admin, { body: { username: 'named', rootRole: 'Editor' } });
  expect(made).toMatchObject({ status: 201, body: { rootRole: 'Editor' } });
  const change = (rootRole: unknown) => system.call('PUT', `${admin}/${made.body.id}`, { body: { rootRole } });
  expect(await change('Viewer')).toMatchObject({ status: 200, body: { rootRole: 'Viewer' } });
  expect(await change('2')).toMatchObject({ status: 200, body: { rootRole: 2 } });
  expect(await system.call('GET', `${admin}/${made.body.id}`)).toMatchObject({ body: { rootRole: 2 } });
});
