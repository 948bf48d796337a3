// What reports of usage store: counts by the hour, applications and instances, and their bounds.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { LeaseLostError, sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { insertApplications, insertSdks } from './reported.repo.ts';
import { deleteOldUsage } from './retention.repo.ts';
import { maxVariants, usageBounds } from './usage.ts';

const projectId = 'default';
const hourMs = 3_600_000;
const leader = { requireCurrent: async () => {} };

let rig: FlagsRig;
let count = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  // The leader of the service does the same soon.
  await deleteOldUsage(rig.db, leader, 30);
});
afterAll(() => rig?.stop());

async function newFlag(): Promise<string> {
  count += 1;
  return (await rig.ask(contracts.createFeature, { projectId, name: `used-${count}` })).name;
}

const now = () => new Date().toISOString();
const hoursAgo = (hours: number) => new Date(Math.floor(Date.now() / hourMs) * hourMs - hours * hourMs).toISOString();

const row = (featureName: string, more: Partial<contracts.UsageRow> = {}): contracts.UsageRow => ({
  ...{ featureName, environment: 'development', application: 'shop', hour: hoursAgo(0), yes: 3, no: 2, variants: {} },
  ...{ lastMoment: now(), ...more },
});
const instance = (more: Partial<contracts.UsageInstance> = {}): contracts.UsageInstance => ({
  ...{
    environment: 'development',
    application: 'shop',
    instanceId: 'shop-1',
    sdkVersion: 'unleash-client-node:6.12.1',
  },
  ...{ sdkType: 'backend', address: '192.0.2.1', strategies: null, started: null, interval: null, lastMoment: now() },
  ...more,
});
const report = (
  rows: contracts.UsageRow[],
  instances: contracts.UsageInstance[] = [],
  batchId: string = randomUUID(),
) => rig.ask(contracts.reportUsage, { batchId, rows, instances });

async function stored(featureName: string) {
  const rows = rig.db.kysely.selectFrom('feature_usage').selectAll().where('feature_name', '=', featureName);
  const found = await rows.orderBy('hour').orderBy('environment').orderBy('application').execute();
  return found.map(({ environment, application, hour, yes, no, variants }) => ({
    ...{ environment, application, hour: hour.toISOString(), yes: Number(yes), no: Number(no), variants },
  }));
}

async function eventsOf(application: string) {
  const events = await rig.events();
  const ofApplication = events.filter(({ data }) => (data as { appName?: string } | null)?.appName === application);
  return ofApplication.map(({ type, data }) => ({ type, data }));
}

describe('counts', () => {
  it('are summed up by flag, environment, application and hour, variants by name', async () => {
    const name = await newFlag();
    await report([row(name, { variants: { blue: 2 } }), row(name, { environment: 'production', yes: 1, no: 0 })]);
    await report([row(name, { variants: { blue: 1, red: 1 } }), row(name, { application: 'blog' })]);
    await report([row(name), row(name, { hour: hoursAgo(3), yes: 7, no: 0 })]);
    const ofShop = { environment: 'development', application: 'shop' };
    expect(await stored(name)).toEqual([
      { ...ofShop, hour: hoursAgo(3), yes: 7, no: 0, variants: {} },
      { ...ofShop, application: 'blog', hour: hoursAgo(0), yes: 3, no: 2, variants: {} },
      { ...ofShop, hour: hoursAgo(0), yes: 9, no: 6, variants: { blue: 3, red: 1 } },
      { ...ofShop, environment: 'production', hour: hoursAgo(0), yes: 1, no: 0, variants: {} },
    ]);
  });

  it('of one batch count once, also when it is repeated at the same time, and others add up', async () => {
    const name = await newFlag();
    const batchId = randomUUID();
    await Promise.all([
      ...Array.from({ length: 5 }, () => report([row(name)], [], batchId)),
      ...Array.from({ length: 5 }, () => report([row(name)])),
    ]);
    expect(await stored(name)).toMatchObject([{ yes: 18, no: 12 }]);
  });

  it('of an hour to come count now, and those older than retention not at all', async () => {
    const name = await newFlag();
    const ages = { hour: '2999-01-01T00:00:00.000Z', yes: 1, no: 0 };
    await report([row(name, ages), row(name, { hour: hoursAgo(24 * 29) }), row(name, { hour: hoursAgo(24 * 32) })]);
    expect((await stored(name)).map(({ hour }) => hour)).toEqual([hoursAgo(24 * 29), hoursAgo(0)]);
  });

  it('stay exact numbers, however many are added', async () => {
    const name = await newFlag();
    const most = row(name, { yes: Number.MAX_SAFE_INTEGER, variants: { blue: Number.MAX_SAFE_INTEGER } });
    await report([most]);
    await report([most]);
    expect(await stored(name)).toMatchObject([{ yes: most.yes, variants: most.variants }]);
  });

  it('have the most frequent variants, of names that an application makes up', async () => {
    const name = await newFlag();
    const invented = (from: number) =>
      Object.fromEntries(Array.from({ length: maxVariants }, (_, index) => [`v${from + index}`, 1]));
    await report([row(name, { variants: { ...invented(0), blue: 5, constructor: 4 } })]);
    await report([row(name, { variants: { blue: 5, constructor: 4, ...invented(1_000) } })]);
    const [only] = await stored(name);
    expect(Object.keys(only!.variants)).toHaveLength(maxVariants);
    expect(only!.variants).toMatchObject({ blue: 5, constructor: 4 });
  });

  it('of archived flags are kept, and of flags and environments that do not exist are not', async () => {
    const name = await newFlag();
    await rig.ask(contracts.archiveFeature, { projectId, featureName: name });
    await report([row(name), row('nobody'), row(name, { environment: 'nowhere' })]);
    expect(await stored(name)).toHaveLength(1);
    expect(await stored('nobody')).toEqual([]);
  });
});

describe('an application', () => {
  it('is made by its first report, with one event, and one more for each SDK version', async () => {
    const name = await newFlag();
    const registered = { strategies: ['default', 'byRegion'], started: '2026-01-01T00:00:00.000Z', interval: 60 };
    const of = { application: 'orders' };
    await report([row(name, of)]);
    await Promise.all([1, 2, 3].map((n) => report([], [instance({ ...of, ...registered, instanceId: `o-${n}` })])));
    await report([row(name, of)], [instance({ ...of, instanceId: 'o-4', sdkVersion: 'unleash-client-go:5.0.0' })]);
    expect(await eventsOf('orders')).toEqual([
      {
        type: 'application-created',
        data: {
          ...{ appName: 'orders', createdBy: 'yardarm-system', strategies: [], description: null },
          ...{ url: null, color: null, icon: null },
        },
      },
      {
        type: 'client-register',
        data: {
          ...{ appName: 'orders', instanceId: expect.stringMatching(/^o-[123]$/) },
          ...{ sdkVersion: 'unleash-client-node:6.12.1', ...registered },
        },
      },
      {
        type: 'client-register',
        data: {
          ...{ appName: 'orders', instanceId: 'o-4', sdkVersion: 'unleash-client-go:5.0.0' },
          ...{ strategies: [], started: null, interval: null },
        },
      },
    ]);
  });

  it('emits nothing for a report without a new name', async () => {
    const name = await newFlag();
    await report([row(name)], [instance()]);
    const before = await rig.events();
    await report([row(name)], [instance({ instanceId: 'shop-2', environment: 'production' })]);
    expect(await rig.events()).toEqual(before);
  });

  it('keeps what an instance has said when the instance reports less', async () => {
    await report([], [instance({ application: 'quiet', sdkVersion: 'a:1.0.0' })]);
    await report([], [instance({ application: 'quiet', sdkVersion: null, sdkType: null, address: null })]);
    const instances = rig.db.kysely.selectFrom('application_instances').selectAll();
    expect(await instances.where('application', '=', 'quiet').execute()).toMatchObject([
      { sdk_version: 'a:1.0.0', sdk_type: 'backend', address: '192.0.2.1' },
    ]);
  });
});

describe('the names that reports may make are bounded', () => {
  const names = (prefix: string, length: number) => Array.from({ length }, (_, index) => `${prefix}-${index}`);

  it('unknown flags per environment', async () => {
    const sent = (prefix: string) => names(prefix, usageBounds.unknownFlags).map((name) => row(name));
    await Promise.all([report(sent('a')), report(sent('b'))]);
    await report([row('elsewhere', { environment: 'production' })]);
    const { rows } = await sql<{ environment: string; count: number }>`
      select environment, count(*)::integer as count from unknown_flags group by environment order by environment
    `.execute(rig.db.kysely);
    expect(rows).toEqual([
      { environment: 'development', count: usageBounds.unknownFlags },
      { environment: 'production', count: 1 },
    ]);
  });

  it('applications, SDK versions and instances, and a known one still counts', async () => {
    const few = { applications: 0, sdks: 2, instances: 0, unknownFlags: 0 };
    await report([], [instance({ sdkVersion: null })]);
    await rig.db
      .transaction(async (trx) => {
        const both = ['shop', 'one-more'].map((name) => ({ name, registration: null }));
        expect([...(await insertApplications(trx, both, few))]).toEqual([]);
        const sdks = names('sdk', 5).map((sdkVersion) => ({ application: 'shop', sdkVersion }));
        await trx.deleteFrom('application_sdks').execute();
        expect(await insertSdks(trx, sdks, few)).toHaveLength(2);
        expect(await insertSdks(trx, sdks, few)).toEqual([]);
        throw new Error('rolled back');
      })
      .catch((error: Error) => expect(error.message).toBe('rolled back'));
    const many = Array.from({ length: 11 }, (_, part) =>
      names(`i${part}`, 1_000).map((instanceId) => instance({ instanceId, sdkVersion: null })),
    );
    for (const instances of many) await report([], instances);
    const inDevelopment = rig.db.kysely.selectFrom('application_instances').where('environment', '=', 'development');
    expect(await inDevelopment.select('instance_id').execute()).toHaveLength(usageBounds.instances);
    await report([], [instance({ sdkVersion: 'later:1.0.0' })]);
    const known = inDevelopment.where('instance_id', '=', 'shop-1').where('application', '=', 'shop');
    expect(await known.select('sdk_version').execute()).toEqual([{ sdk_version: 'later:1.0.0' }]);
  });
});

describe('retention', () => {
  const partitions = async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'feature_usage'::regclass order by relname`.execute(rig.db.kysely);
    return rows.map(({ name }) => name.replace('feature_usage_', ''));
  };
  const day = (days: number) =>
    new Date(Date.now() + days * 24 * hourMs).toISOString().slice(0, 10).replaceAll('-', '');

  it('drops the days before it with their counts, and makes a week ahead', async () => {
    const name = await newFlag();
    await report([row(name, { hour: hoursAgo(24 * 4) }), row(name)]);
    await deleteOldUsage(rig.db, leader, 3);
    const kept = await partitions();
    expect([kept[0], kept.at(-1)]).toEqual([day(-3), day(7)]);
    expect(await stored(name)).toHaveLength(1);
    await Promise.all([deleteOldUsage(rig.db, leader, 10), deleteOldUsage(rig.db, leader, 10)]);
    expect((await partitions())[0]).toBe(day(-10));
  });

  it('deletes instances and unknown flags after a day, and applications that nobody described after all days', async () => {
    const name = await newFlag();
    await rig.db.kysely.deleteFrom('application_instances').execute();
    const instances = ['gone', 'described', 'recent'].map((application) => instance({ application }));
    await report(
      instances.flatMap(({ application }) => [row(name, { application }), row('x', { application })]),
      instances,
    );
    await rig.db.kysely.updateTable('applications').set({ color: 'red' }).where('name', '=', 'described').execute();
    for (const table of ['applications', 'application_instances', 'application_features', 'unknown_flags'] as const) {
      const old = sql`update ${sql.table(table)} set seen_at = now() - interval '11 days'`;
      const column = sql.ref(table === 'applications' ? 'name' : 'application');
      await sql`${old} where ${column} <> 'recent'`.execute(rig.db.kysely);
    }
    await deleteOldUsage(rig.db, leader, 10);
    const all = (table: 'application_instances' | 'application_features' | 'unknown_flags') =>
      rig.db.kysely.selectFrom(table).select('application').distinct().execute();
    const names = await rig.db.kysely.selectFrom('applications').select('name').orderBy('name').execute();
    expect(names.map(({ name: one }) => one)).toEqual(['described', 'recent']);
    expect(await all('application_instances')).toEqual([{ application: 'recent' }]);
    expect(await all('application_features')).toEqual([{ application: 'recent' }]);
    expect(await all('unknown_flags').then((rows) => rows.length)).toBeLessThanOrEqual(1);
  });

  it('does nothing for a leader that has lost its lease', async () => {
    const before = await partitions();
    const lost = {
      async requireCurrent() {
        throw new LeaseLostError('another replica has the lease');
      },
    };
    await expect(deleteOldUsage(rig.db, lost, 1)).rejects.toThrow(LeaseLostError);
    expect(await partitions()).toEqual(before);
  });
});
