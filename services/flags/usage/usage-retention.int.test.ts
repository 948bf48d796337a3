// When usage is deleted: after the retention, and with its environment.
import * as contracts from '@yardarm/shared/contracts/flags';
import { LeaseLostError, sql } from '@yardarm/shared/db';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagCalls } from '../testing/flag-calls.ts';
import type { FlagsRig } from '../testing/flags-rig.ts';
import {
  hoursAgo,
  startUsageRig,
  usageInstance,
  usageLeader,
  usageReports,
  usageRow,
} from '../testing/usage-reports.ts';
import { deleteLeftUsage } from './left-usage.repo.ts';
import { deleteOldUsage } from './retention.repo.ts';

const projectId = 'default';
const hourMs = 3_600_000;

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startUsageRig();
});
afterAll(() => rig?.stop());

const { newFlag } = flagCalls(() => rig);
const { report, stored } = usageReports(() => rig);

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
    await report([usageRow(name, { hour: hoursAgo(24 * 4) }), usageRow(name)]);
    await deleteOldUsage(rig.db, usageLeader, 3);
    const kept = await partitions();
    expect([kept[0], kept.at(-1)]).toEqual([day(-3), day(7)]);
    expect(await stored(name)).toHaveLength(1);
    await Promise.all([deleteOldUsage(rig.db, usageLeader, 10), deleteOldUsage(rig.db, usageLeader, 10)]);
    expect((await partitions())[0]).toBe(day(-10));
  });

  it('deletes instances and unknown flags after a day, and applications that nobody described after all days', async () => {
    const name = await newFlag();
    await rig.db.kysely.deleteFrom('application_instances').execute();
    const instances = ['gone', 'described', 'recent'].map((application) => usageInstance({ application }));
    await report(
      instances.flatMap(({ application }) => [usageRow(name, { application }), usageRow('x', { application })]),
      instances,
    );
    await rig.db.kysely.updateTable('applications').set({ color: 'red' }).where('name', '=', 'described').execute();
    for (const table of ['applications', 'application_instances', 'application_features', 'unknown_flags'] as const) {
      const old = sql`update ${sql.table(table)} set seen_at = now() - interval '11 days'`;
      const column = sql.ref(table === 'applications' ? 'name' : 'application');
      await sql`${old} where ${column} <> 'recent'`.execute(rig.db.kysely);
    }
    await deleteOldUsage(rig.db, usageLeader, 10);
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
      ...usageLeader,
      async requireCurrent() {
        throw new LeaseLostError('another replica has the lease');
      },
    };
    await expect(deleteOldUsage(rig.db, lost, 1)).rejects.toThrow(LeaseLostError);
    expect(await partitions()).toEqual(before);
  });
});

describe('the usage of flags in an environment', () => {
  const environment = 'testing';
  const countOf = async (table: 'application_instances' | 'unknown_flags' | 'application_features') => {
    const rows = await rig.db.kysely
      .selectFrom(table)
      .select('application')
      .where('environment', '=', environment)
      .execute();
    return rows.length;
  };

  it('is deleted when their project removes it, and that of other projects stays', async () => {
    await rig.ask(contracts.createEnvironment, { name: environment, type: 'test' });
    await rig.ask(contracts.createProject, { id: 'other', name: 'Other', environments: [environment] });
    await rig.ask(contracts.addProjectEnvironment, { projectId, environment });
    const name = await newFlag();
    await rig.ask(contracts.createFeature, { projectId: 'other', name: 'of-other' });
    const rows = () => [
      ...[usageRow(name, { environment }), usageRow(name), usageRow('of-other', { environment })],
      ...[usageRow(name, { environment, hour: hoursAgo(48) }), usageRow('unknown', { environment })],
    ];
    await report(rows(), [usageInstance({ environment })]);
    expect((await stored(name)).map((one) => one.environment)).toEqual([environment, 'development', environment]);
    await rig.ask(contracts.removeProjectEnvironment, { projectId, environment });
    // A later report finds that the flag is not in the environment.
    await report(rows());
    expect((await stored(name)).map((one) => one.environment)).toEqual(['development']);
    expect(await stored('of-other')).toHaveLength(1);
    expect(await countOf('application_features')).toBe(1);
    expect([await countOf('unknown_flags'), await countOf('application_instances')]).toEqual([1, 1]);
    await rig.ask(contracts.addProjectEnvironment, { projectId, environment });
    expect((await rig.ask(contracts.getUsageSummary, { name })).totalUsage).toMatchObject([
      { environment: 'development' },
    ]);
  });

  it('is deleted with it, and so are its instances and unknown flags', async () => {
    for (const project of [projectId, 'other'])
      await rig.ask(contracts.removeProjectEnvironment, { projectId: project, environment });
    await rig.ask(contracts.deleteEnvironment, { name: environment });
    await report([usageRow('unknown', { environment })], [usageInstance({ environment })]);
    const counts = [await countOf('application_features'), await countOf('unknown_flags')];
    expect([...counts, await countOf('application_instances')]).toEqual([0, 0, 0]);
    expect(await stored('of-other')).toEqual([]);
  });

  /** An environment of the project, a flag, and counts of it in two days. */
  const environmentInUse = async (inUse: string) => {
    await rig.ask(contracts.createEnvironment, { name: inUse, type: 'test' });
    await rig.ask(contracts.addProjectEnvironment, { projectId, environment: inUse });
    const name = await newFlag();
    await rig.db.kysely
      .updateTable('features')
      .set({ created_at: new Date(hoursAgo(100)) })
      .where('name', '=', name)
      .execute();
    const rows = [usageRow(name, { environment: inUse }), usageRow(name, { environment: inUse, hour: hoursAgo(30) })];
    await report(rows);
    return { name, rows };
  };

  it('is deleted after the commit, so that neither reports nor changes wait for it', async () => {
    const { name } = await environmentInUse('locked');
    const removal = await rig.db.transaction(async (trx) => {
      await sql`select from feature_usage where environment = 'locked' for update`.execute(trx);
      const removing = rig.ask(contracts.removeProjectEnvironment, { projectId, environment: 'locked' });
      const environments = async () => {
        const { environments: all } = await rig.ask(contracts.getFeature, { projectId, featureName: name });
        return all.map((one) => one.name);
      };
      await eventually(async () => expect(await environments()).not.toContain('locked'));
      await report([usageRow(name)]);
      await newFlag();
      expect(await stored(name)).toHaveLength(3);
      return { removing };
    });
    await removal.removing;
    expect((await stored(name)).map((one) => one.environment)).toEqual(['development']);
  });

  it('is not shown when the removal had no time to delete it, and does not return with the environment', async () => {
    const place = { projectId, environment: 'left' };
    const { name } = await environmentInUse('left');
    const rows = await rig.db.kysely.selectFrom('feature_usage').selectAll().where('feature_name', '=', name).execute();
    const left = { project: projectId, environment: 'left', keptDays: 30 };
    const removed = rows.map((row) => ({ ...row, variants: '{}' }));
    const summary = () => rig.ask(contracts.getUsageSummary, { name });
    const list = () => rig.ask(contracts.listUsage, { name });
    expect([(await summary()).totalUsage.length, (await list()).data.length]).toEqual([1, 2]);
    await rig.ask(contracts.removeProjectEnvironment, place);
    await rig.db.kysely.insertInto('feature_usage').values(removed).execute();
    expect(await deleteLeftUsage(rig.db, left, Date.now())).toBe(false);
    expect(await stored(name)).toHaveLength(2);
    expect(await summary()).toMatchObject({ lastHourUsage: [], totalUsage: [] });
    expect(await list()).toMatchObject({ data: [] });
    await rig.ask(contracts.addProjectEnvironment, place);
    expect(await stored(name)).toEqual([]);
    await report([usageRow(name, { environment: 'left' })]);
    expect(await deleteLeftUsage(rig.db, left, Number.POSITIVE_INFINITY)).toBe(true);
    expect((await summary()).totalUsage).toMatchObject([{ environment: 'left', yes: 3, no: 2 }]);
  });

  it('is deleted of more flags than one statement deletes', async () => {
    await rig.ask(contracts.createProject, { id: 'crowd', name: 'Crowd', environments: ['production'] });
    const names = Array.from({ length: 25 }, (_, index) => `crowd-${index}`);
    for (const name of names) await rig.ask(contracts.createFeature, { projectId: 'crowd', name });
    await report(names.map((name) => usageRow(name, { environment: 'production' })));
    await rig.ask(contracts.removeProjectEnvironment, { projectId: 'crowd', environment: 'production' });
    const rows = rig.db.kysely.selectFrom('feature_usage').select('feature_name').where('feature_name', 'in', names);
    expect(await rows.execute()).toEqual([]);
  });

  it('is deleted also while reports of it arrive', async () => {
    const raced = 'raced';
    await rig.ask(contracts.createEnvironment, { name: raced, type: 'test' });
    await rig.ask(contracts.addProjectEnvironment, { projectId, environment: raced });
    const name = await newFlag();
    const reports = Array.from({ length: 30 }, (_, index) =>
      report([usageRow(name, { environment: raced, application: `app-${index}` })]),
    );
    await Promise.race(reports);
    await rig.ask(contracts.removeProjectEnvironment, { projectId, environment: raced });
    await Promise.all(reports);
    expect(await stored(name)).toEqual([]);
  });
});
