// What reports of usage store: counts by the hour.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagCalls } from '../testing/flag-calls.ts';
import type { FlagsRig } from '../testing/flags-rig.ts';
import { hoursAgo, startUsageRig, usageReports, usageRow } from '../testing/usage-reports.ts';
import { maxVariants } from './usage.ts';

const projectId = 'default';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startUsageRig();
});
afterAll(() => rig?.stop());

const { newFlag } = flagCalls(() => rig);
const { report, stored } = usageReports(() => rig);

describe('counts', () => {
  it('are summed up by flag, environment, application and hour, variants by name', async () => {
    const name = await newFlag();
    await report([
      usageRow(name, { variants: { blue: 2 } }),
      usageRow(name, { environment: 'production', yes: 1, no: 0 }),
    ]);
    await report([usageRow(name, { variants: { blue: 1, red: 1 } }), usageRow(name, { application: 'blog' })]);
    await report([usageRow(name), usageRow(name, { hour: hoursAgo(3), yes: 7, no: 0 })]);
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
      ...Array.from({ length: 5 }, () => report([usageRow(name)], [], batchId)),
      ...Array.from({ length: 5 }, () => report([usageRow(name)])),
    ]);
    expect(await stored(name)).toMatchObject([{ yes: 18, no: 12 }]);
  });

  it('of an hour to come count now, and those older than retention not at all', async () => {
    const name = await newFlag();
    const ages = { hour: '2999-01-01T00:00:00.000Z', yes: 1, no: 0 };
    await report([
      usageRow(name, ages),
      usageRow(name, { hour: hoursAgo(24 * 29) }),
      usageRow(name, { hour: hoursAgo(24 * 32) }),
    ]);
    expect((await stored(name)).map(({ hour }) => hour)).toEqual([hoursAgo(24 * 29), hoursAgo(0)]);
  });

  it('of an earlier flag of the name are not shown, except those of the hour in which the flag was made', async () => {
    await rig.ask(contracts.createProject, { id: 'again', name: 'Again' });
    const flag = { projectId: 'again', name: 'again' };
    await rig.ask(contracts.createFeature, flag);
    await rig.db.kysely
      .updateTable('features')
      .set({ created_at: new Date(hoursAgo(72)) })
      .where('name', '=', 'again')
      .execute();
    await report([usageRow('again', { hour: hoursAgo(1) }), usageRow('again', { hour: hoursAgo(30) })]);
    const shown = async () => {
      const { totalUsage } = await rig.ask(contracts.getUsageSummary, { name: 'again' });
      const hours = await rig.ask(contracts.listUsage, { name: 'again', hoursBack: 48 });
      const days = await rig.ask(contracts.listUsage, { name: 'again', hoursBack: 72 });
      const [from, to] = [hoursAgo(72).slice(0, 10), hoursAgo(0).slice(0, 10)];
      const trends = await rig.ask(contracts.listWeeklyTrends, { from, to });
      const ofProject = trends.metricsSummaryTrends.filter(({ project }) => project === 'again');
      const yes = (rows: { yes: number }[]) => rows.reduce((sum, row) => sum + row.yes, 0);
      return [
        ...[yes(totalUsage), yes(hours.data), yes(days.data)],
        yes(ofProject.map(({ totalYes }) => ({ yes: totalYes }))),
      ];
    };
    expect(await shown()).toEqual([6, 6, 6, 6]);
    await rig.ask(contracts.archiveFeature, { projectId: 'again', featureName: 'again' });
    await rig.ask(contracts.deleteFeature, { featureName: 'again' });
    await rig.ask(contracts.createFeature, flag);
    await report([usageRow('again', { yes: 1, no: 0 })]);
    expect(await stored('again')).toHaveLength(3);
    expect(await shown()).toEqual([1, 1, 1, 1]);
  });

  it('stay exact numbers, however many are added', async () => {
    const name = await newFlag();
    const most = usageRow(name, { yes: Number.MAX_SAFE_INTEGER, variants: { blue: Number.MAX_SAFE_INTEGER } });
    await report([most]);
    await report([most]);
    expect(await stored(name)).toMatchObject([{ yes: most.yes, variants: most.variants }]);
  });

  it('have the most frequent variants, of names that an application makes up', async () => {
    const name = await newFlag();
    const invented = (from: number) =>
      Object.fromEntries(Array.from({ length: maxVariants }, (_, index) => [`v${from + index}`, 1]));
    await report([usageRow(name, { variants: { ...invented(0), blue: 5, constructor: 4 } })]);
    await report([usageRow(name, { variants: { blue: 5, constructor: 4, ...invented(1_000) } })]);
    const [only] = await stored(name);
    expect(Object.keys(only!.variants)).toHaveLength(maxVariants);
    expect(only!.variants).toMatchObject({ blue: 5, constructor: 4 });
  });

  it('of archived flags are kept, and of flags and environments that do not exist are not', async () => {
    const name = await newFlag();
    await rig.ask(contracts.archiveFeature, { projectId, featureName: name });
    await report([usageRow(name), usageRow('nobody'), usageRow(name, { environment: 'nowhere' })]);
    expect(await stored(name)).toHaveLength(1);
    expect(await stored('nobody')).toEqual([]);
  });
});

it('reports that wait for each other occupy one connection, and changes have the others', async () => {
  const name = await newFlag();
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event = 'advisory' and query like '%reports of usage%'`.execute(
      rig.db.kysely,
    );
    return rows[0]!.count;
  };
  const reported = await rig.db.transaction(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('reports of usage'))`.execute(trx);
    const reports = Array.from({ length: 12 }, () => report([usageRow(name)]));
    await eventually(async () => expect(await waiting()).toBeGreaterThan(0));
    await newFlag();
    expect(await waiting()).toBe(1);
    return { reports };
  });
  await Promise.all(reported.reports);
  expect(await stored(name)).toMatchObject([{ yes: 36, no: 24 }]);
});
