// What administrators see of the reports of SDKs: usage of flags, applications, instances, and what may be wrong.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { usageBounds } from '../usage.ts';

const projectId = 'default';
const hourMs = 3_600_000;
const node = 'unleash-node-sdk:6.12.1';
const oldNode = 'unleash-node-sdk:5.0.0';
const web = 'unleash-client-js:3.7.5';
const now = new Date().toISOString();
const hoursAgo = (hours: number) => new Date(Math.floor(Date.now() / hourMs) * hourMs - hours * hourMs).toISOString();

let rig: FlagsRig;

const row = (featureName: string, more: Partial<contracts.UsageRow> = {}): contracts.UsageRow => ({
  ...{ featureName, environment: 'production', application: 'shop', hour: hoursAgo(0), yes: 3, no: 2, variants: {} },
  ...{ lastMoment: now, ...more },
});
const instance = (application: string, more: Partial<contracts.UsageInstance> = {}): contracts.UsageInstance => ({
  ...{ environment: 'production', application, instanceId: `${application}-1`, sdkVersion: node, sdkType: 'backend' },
  ...{ address: '192.0.2.1', strategies: null, started: null, interval: null, lastMoment: now, ...more },
});
const report = (rows: contracts.UsageRow[], instances: contracts.UsageInstance[] = []) =>
  rig.ask(contracts.reportUsage, { batchId: randomUUID(), rows, instances });

/** Usage of the days before is of a flag that existed then. */
const makeOlder = (name: string) =>
  rig.db.kysely
    .updateTable('features')
    .set({ created_at: new Date(hoursAgo(72)) })
    .where('name', '=', name)
    .execute();

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.ask(contracts.createProject, { id: 'other', name: 'Other' });
  for (const [project, name] of [
    ['default', 'a'],
    ['default', 'b'],
    ['other', 'c'],
    ['default', 'unused'],
  ] as const)
    await rig.ask(contracts.createFeature, { projectId: project, name });
  await makeOlder('a');
  await rig.ask(contracts.createStrategyType, { name: 'byRegion', parameters: [] });
  const strategies = ['default', 'byRegion', 'byPlanet'];
  await report(
    [
      row('a', { variants: { blue: 3 } }),
      row('a', { application: 'blog', variants: { blue: 1, red: 2 } }),
      row('a', { environment: 'development', yes: 1, no: 0 }),
      row('a', { hour: hoursAgo(30), yes: 10, no: 0 }),
      row('a', { hour: hoursAgo(31), yes: 20, no: 0 }),
      row('c', { application: 'blog' }),
      row('typo', { environment: 'development' }),
    ],
    [
      instance('shop', { strategies }),
      instance('shop', { instanceId: 'shop-2', environment: 'development', sdkVersion: oldNode }),
      instance('blog', { sdkVersion: web, sdkType: 'frontend', address: null }),
    ],
  );
});
afterAll(() => rig?.stop());

describe('the usage of a flag', () => {
  it('is summed up for the last hour and in total, with the applications', async () => {
    expect(await rig.ask(contracts.getUsageSummary, { name: 'a' })).toEqual({
      ...{ maturity: 'stable', featureName: 'a', seenApplications: ['blog', 'shop'] },
      lastHourUsage: [
        { environment: 'development', timestamp: hoursAgo(0), yes: 1, no: 0, variants: {} },
        { environment: 'production', timestamp: hoursAgo(0), yes: 6, no: 4, variants: { blue: 4, red: 2 } },
      ],
      totalUsage: [
        { environment: 'development', yes: 1, no: 0 },
        { environment: 'production', yes: 36, no: 4 },
      ],
    });
  });

  it('of the last hour is in each environment of the flag', async () => {
    const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName: 'a' });
    expect(environments).toMatchObject([
      { name: 'development', yes: 1, no: 0 },
      { name: 'production', yes: 6, no: 4 },
    ]);
  });

  it('is listed by hour and application, the latest first, and by day in a longer time', async () => {
    const list = async (hoursBack?: number) => {
      const { data } = await rig.ask(contracts.listUsage, { name: 'a', ...(hoursBack && { hoursBack }) });
      return data;
    };
    const of = { featureName: 'a', environment: 'production', appName: 'shop' };
    const current = { timestamp: hoursAgo(0), yes: 3, no: 2 };
    const latest = [
      { ...of, environment: 'development', timestamp: hoursAgo(0), yes: 1, no: 0, variants: {} },
      { ...of, ...current, appName: 'blog', variants: { blue: 1, red: 2 } },
      { ...of, ...current, variants: { blue: 3 } },
    ];
    expect(await list(24)).toEqual(latest);
    expect(await list()).toEqual([
      ...latest,
      { ...of, timestamp: hoursAgo(30), yes: 10, no: 0, variants: {} },
      { ...of, timestamp: hoursAgo(31), yes: 20, no: 0, variants: {} },
    ]);
    const days = await list(72);
    expect(days.every(({ timestamp }) => timestamp.endsWith('T00:00:00.000Z'))).toBe(true);
    expect(days.reduce((sum, { yes }) => sum + yes, 0)).toBe(37);
  });

  it('is empty for a flag that nobody evaluated, and not found without a flag', async () => {
    expect(await rig.ask(contracts.getUsageSummary, { name: 'unused' })).toMatchObject({
      ...{ lastHourUsage: [], totalUsage: [], seenApplications: [] },
    });
    expect(await rig.ask(contracts.listUsage, { name: 'unused' })).toEqual({ maturity: 'stable', data: [] });
    await expect(rig.ask(contracts.getUsageSummary, { name: 'typo' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(rig.ask(contracts.listUsage, { name: 'typo' })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('of names that no flag has is listed by name, until a flag has the name', async () => {
    const list = async () => (await rig.ask(contracts.listUnknownFlags, {})).unknownFlags;
    const environments = [{ environment: 'development', seenAt: expect.any(String) }];
    const typo = { name: 'typo', lastSeenAt: expect.any(String), reports: [{ appName: 'shop', environments }] };
    expect(await list()).toEqual([typo]);
    await report([row('later')]);
    expect((await list()).map(({ name }) => name)).toEqual(['later', 'typo']);
    await rig.ask(contracts.createFeature, { projectId, name: 'later' });
    expect((await list()).map(({ name }) => name)).toEqual(['typo']);
  });
});

describe('an application', () => {
  const get = (appName: string) => rig.ask(contracts.getApplicationDetail, { appName });
  const list = async (input: Record<string, unknown> = {}) => {
    const { total, applications } = await rig.ask(contracts.listApplications, input);
    return { total, names: applications.map(({ appName }) => appName) };
  };

  it('has its SDK, strategies, and the places of the flags that it evaluated', async () => {
    const evaluated = { type: 'release', description: null, stale: false, impressionData: false, archived: false };
    const seen = { lastSeen: expect.any(String), environment: 'production', appName: 'blog' };
    expect(await get('blog')).toEqual({
      ...{ appName: 'blog', createdAt: expect.any(String), sdkVersion: web, strategies: [] },
      ...{ description: null, url: null, color: null, icon: null },
      usage: [
        { project: 'default', environments: ['production'] },
        { project: 'other', environments: ['production'] },
      ],
      instances: [
        { ...seen, instanceId: 'blog-1', sdkVersion: web, sdkType: 'frontend', clientIp: null, createdAt: now },
      ],
      seenToggles: [
        { ...evaluated, name: 'a', project: 'default', createdAt: expect.any(String) },
        { ...evaluated, name: 'c', project: 'other', createdAt: expect.any(String) },
      ],
      links: { self: '/api/applications/blog' },
    });
    expect((await get('shop')).strategies).toEqual([
      expect.objectContaining({ name: 'default', editable: false }),
      expect.objectContaining({ name: 'byRegion', editable: true }),
      { name: 'byPlanet', notFound: true },
    ]);
    await expect(get('nobody')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is as it is listed for a gateway of the release before', async () => {
    const { applications } = await rig.ask(contracts.listApplications, {});
    for (const application of applications) {
      const { appName } = application;
      expect(await rig.ask(contracts.getApplication, { appName })).toEqual(application);
    }
    const nobody = rig.ask(contracts.getApplication, { appName: 'nobody' });
    await expect(nobody).rejects.toMatchObject({ code: 'not-found' });
  });

  it('has instances that were made at their first report', async () => {
    const [first, second] = [new Date(Date.now() - 2_000), new Date(Date.now() - 1_000)].map((at) => at.toISOString());
    for (const lastMoment of [first!, second!]) await report([], [instance('again', { lastMoment })]);
    expect(await get('again')).toMatchObject({ instances: [{ createdAt: first, lastSeen: second }] });
    await rig.ask(contracts.deleteApplication, { appName: 'again' });
  });

  it('is listed by name, in pages, by a part of its name', async () => {
    expect(await list()).toEqual({ total: 2, names: ['blog', 'shop'] });
    expect(await list({ sortOrder: 'desc', limit: 1 })).toEqual({ total: 2, names: ['shop'] });
    expect(await list({ offset: 5 })).toEqual({ total: 2, names: [] });
    expect(await list({ query: 'LO' })).toEqual({ total: 1, names: ['blog'] });
    expect(await list({ query: '%' })).toEqual({ total: 0, names: [] });
  });

  it('has an overview of where it is used and what may be wrong', async () => {
    const { environments, ...rest } = await rig.ask(contracts.getApplicationOverview, { appName: 'shop' });
    expect(rest).toMatchObject({
      projects: ['default'],
      featureCount: 1,
      issues: { missingStrategies: ['byPlanet'] },
    });
    const of = { instanceCount: 1, frontendSdks: [], lastSeen: expect.any(String) };
    expect(environments).toEqual([
      {
        ...{ ...of, name: 'development', sdks: [oldNode], backendSdks: [oldNode] },
        issues: { missingFeatures: ['typo'], outdatedSdks: [oldNode] },
      },
      {
        ...{ ...of, name: 'production', sdks: [node], backendSdks: [node] },
        issues: { missingFeatures: [], outdatedSdks: [] },
      },
    ]);
    const nobody = rig.ask(contracts.getApplicationOverview, { appName: 'nobody' });
    await expect(nobody).rejects.toMatchObject({ code: 'not-found' });
  });

  it('has the instances of the last day in an environment', async () => {
    const instances = async (environment: string) => {
      const { instances } = await rig.ask(contracts.listApplicationInstances, { appName: 'shop', environment });
      return instances;
    };
    const only = { instanceId: 'shop-1', sdkVersion: node, clientIp: '192.0.2.1', lastSeen: now };
    expect(await instances('production')).toEqual([only]);
    await rig.db.kysely
      .updateTable('application_instances')
      .set({ seen_at: new Date(Date.now() - 25 * hourMs) })
      .where('instance_id', '=', 'shop-1')
      .execute();
    expect(await instances('production')).toEqual([]);
    await report([], [instance('shop')]);
  });

  it('is listed in the projects whose flags it evaluated', async () => {
    const of = async (project: string, query = '') => {
      const { applications } = await rig.ask(contracts.listProjectApplications, { projectId: project, query });
      return applications;
    };
    const blog = {
      ...{ name: 'blog', environments: ['production'], instances: ['blog-1'] },
      sdks: [{ name: 'unleash-client-js', versions: ['3.7.5'] }],
    };
    expect(await of('other')).toEqual([blog]);
    expect((await of('default')).map(({ name }) => name)).toEqual(['blog', 'shop']);
    expect((await of('default', 'development')).map(({ name }) => name)).toEqual(['shop']);
    expect((await of('default', 'client-js')).map(({ name }) => name)).toEqual(['blog']);
    await expect(of('nowhere')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is named with its outdated SDK versions, of all projects and of one', async () => {
    const outdated = async (project?: string) => {
      const { sdks } = await rig.ask(contracts.listOutdatedSdks, project === undefined ? {} : { projectId: project });
      return sdks;
    };
    expect(await outdated()).toEqual([{ sdkVersion: oldNode, applications: ['shop'] }]);
    expect(await outdated('default')).toEqual([{ sdkVersion: oldNode, applications: ['shop'] }]);
    expect(await outdated('other')).toEqual([]);
    await expect(outdated('nowhere')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('can be described, once made with an event, and keeps what is not sent and what it reports', async () => {
    await rig.ask(contracts.describeApplication, { appName: 'shop', url: 'https://example.com', color: 'red' });
    await rig.ask(contracts.describeApplication, { appName: 'shop', icon: 'x', color: 'blue' });
    expect(await get('shop')).toMatchObject({
      ...{ url: 'https://example.com', color: 'blue', icon: 'x' },
      strategies: [{ name: 'default' }, { name: 'byRegion' }, { name: 'byPlanet' }],
    });
    const before = (await rig.events()).length;
    const both = [1, 2].map(() => rig.ask(contracts.describeApplication, { appName: 'planned', strategies: ['a'] }));
    await Promise.all(both);
    expect((await rig.events()).slice(before)).toMatchObject([
      { type: 'application-created', createdBy: 'root', data: { appName: 'planned', strategies: ['a'] } },
    ]);
    await report([row('a', { application: 'planned' })]);
    expect((await rig.events()).length).toBe(before + 1);
  });

  it('can be deleted, also again, and is made again when it reports', async () => {
    const remove = () => rig.ask(contracts.deleteApplication, { appName: 'planned' });
    await remove();
    await remove();
    await expect(get('planned')).rejects.toMatchObject({ code: 'not-found' });
    await report([row('a', { application: 'planned' })], [instance('planned')]);
    expect(await get('planned')).toMatchObject({ sdkVersion: node, usage: [{ project: 'default' }] });
  });

  it('survives a deletion during its report, whichever comes first', async () => {
    const reports = Array.from({ length: 20 }, (_, index) =>
      report([row('a', { application: 'planned' })], [instance('planned', { instanceId: `p-${index}` })]),
    );
    const deletions = Array.from({ length: 20 }, () => rig.ask(contracts.deleteApplication, { appName: 'planned' }));
    expect(await Promise.all([...reports, ...deletions])).toHaveLength(40);
  });

  it('of an administrator is refused beyond the bound, which is not that of reports', async () => {
    const names = Array.from({ length: usageBounds.applications }, (_, index) => ({ name: `many-${index}` }));
    await rig.db.kysely.insertInto('applications').values(names).execute();
    const refused = rig.ask(contracts.describeApplication, { appName: 'one-more' });
    await expect(refused).rejects.toMatchObject({ code: 'limit-exceeded' });
    await expect(get('one-more')).rejects.toMatchObject({ code: 'not-found' });
    await report([row('a', { application: 'one-more' })]);
    expect(await get('one-more')).toMatchObject({ usage: [{ environments: ['production'] }] });
    // Those that reports make take no room of administrators.
    await rig.db.kysely.updateTable('applications').set({ environment: 'development' }).execute();
    await rig.ask(contracts.describeApplication, { appName: 'described' });
  });
});

it('usage of a flag with thousands of rows is listed without a pass over them for each', async () => {
  await rig.ask(contracts.createFeature, { projectId, name: 'busy' });
  await makeOlder('busy');
  await sql`
    insert into feature_usage (feature_name, environment, application, hour, yes, no, variants)
    select 'busy', 'production', 'app-' || a, date_trunc('hour', now()) - h * interval '1 hour', 1, 1, '{"blue":1,"red":2}'
    from generate_series(1, 220) a, generate_series(0, 46) h`.execute(rig.db.kysely);
  const startedAt = performance.now();
  const { data } = await rig.ask(contracts.listUsage, { name: 'busy' });
  expect(data).toHaveLength(10_000);
  expect(data[9_999]).toMatchObject({ yes: 1, variants: { blue: 1, red: 2 } });
  // It takes a tenth of a second, and took nine.
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
