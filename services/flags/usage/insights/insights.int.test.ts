// What the page for all projects together shows of flags: phases of lifecycles, and what happened in each week.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const projectId = 'default';
const create = (name: string, type: string) => rig.ask(contracts.createFeature, { projectId, name, type });

it('counts the flags of each phase by kind and age, with the medians of their days', async () => {
  for (const [name, type] of [
    ...[['young', 'experiment'] as const, ['older', 'release'] as const, ['done', 'release'] as const],
    ...[['gone', 'operational'] as const],
  ])
    await create(name, type);
  await rig.database.rows("update flags.features set created_at = now() - interval '20 days' where name <> 'young'");
  await rig.database.rows(
    "update flags.feature_lifecycle set entered_at = now() - interval '20 days' where feature_name <> 'young'",
  );
  await rig.ask(contracts.completeFeature, { projectId, featureName: 'done', status: 'kept' });
  await rig.database.rows(
    "update flags.feature_lifecycle set entered_at = now() - interval '5 days' where stage = 'completed'",
  );
  await rig.ask(contracts.patchFeature, {
    ...{ projectId, featureName: 'gone', operations: [{ op: 'replace', path: '/archived', value: true }] },
  });

  const none = { flagsOlderThanWeek: 0, newFlagsThisWeek: 0 };
  const { lifecycleTrends } = await rig.ask(contracts.getLifecycleTrends, {});
  expect(lifecycleTrends).toEqual({
    develop: {
      // Of 0 and 20 days; of the flags that left the phase, one after 15 days and one after 20.
      ...{ totalFlags: 2, medianDaysInCurrentStage: 10, medianDaysHistorically: 17.5 },
      categories: {
        experimental: { flagsOlderThanWeek: 0, newFlagsThisWeek: 1 },
        release: { flagsOlderThanWeek: 1, newFlagsThisWeek: 0 },
        permanent: none,
      },
    },
    production: {
      ...{ totalFlags: 0, medianDaysInCurrentStage: 0, medianDaysHistorically: 0 },
      categories: { experimental: none, release: none, permanent: none },
    },
    cleanup: {
      ...{ totalFlags: 1, medianDaysInCurrentStage: 5, medianDaysHistorically: 0 },
      categories: { experimental: none, release: { flagsOlderThanWeek: 1, newFlagsThisWeek: 0 }, permanent: none },
    },
  });
  const elsewhere = await rig.ask(contracts.getLifecycleTrends, { projects: ['nowhere'] });
  expect(elsewhere.lifecycleTrends.develop.totalFlags).toBe(0);
});

it('lists what happened in the weeks of a period, up to the end of its last day', async () => {
  const period = { from: '2026-02-01', to: '2026-02-09' };
  await rig.database.rows("update flags.features set created_at = '2026-01-31T23:59:59.999Z'");
  // A Sunday, a Monday and the last moment of the period.
  await rig.database.rows("update flags.features set created_at = '2026-02-01T00:00:00Z' where name = 'young'");
  await rig.database.rows("update flags.features set created_at = '2026-02-02T00:00:00Z' where name = 'older'");
  await rig.database.rows("update flags.features set archived_at = '2026-02-09T23:59:59.999Z' where name = 'gone'");
  await rig.database.rows(
    `insert into flags.feature_lifecycle (feature_name, stage, entered_at)
     values ('older', 'live', '2026-02-03T12:00:00Z')`,
  );
  const week = (number: number, end: string) => ({
    week: `2026-0${number}`,
    date: `${end}T23:59:59.999Z`,
    project: projectId,
  });
  expect(await rig.ask(contracts.listWeeklyTrends, period)).toEqual({
    metricsSummaryTrends: [],
    lifecycleTrends: [{ ...week(6, '2026-02-08'), newProductionFlags: 1 }],
    creationArchiveTrends: [
      { ...week(5, '2026-02-01'), createdFlags: { experiment: 1 }, archivedFlags: 0 },
      { ...week(6, '2026-02-08'), createdFlags: { release: 1 }, archivedFlags: 0 },
      { ...week(7, '2026-02-15'), createdFlags: {}, archivedFlags: 1 },
    ],
  });
});

it('adds up what SDKs have reported of the flags of a project', async () => {
  for (const application of ['shop', 'app'])
    await rig.database.rows(
      `insert into flags.feature_usage (feature_name, environment, application, hour, yes, no, variants)
       values ('older', 'development', $1, date_trunc('hour', now()), 3, 1, '{}')`,
      [application],
    );
  const today = new Date().toISOString().slice(0, 10);
  const { metricsSummaryTrends } = await rig.ask(contracts.listWeeklyTrends, { from: today, to: today });
  expect(metricsSummaryTrends).toMatchObject([
    {
      project: projectId,
      totalRequests: 8,
      totalYes: 6,
      totalNo: 2,
      totalApps: 2,
      totalFlags: 1,
      totalEnvironments: 1,
    },
  ]);
});

it('sums of a week are exact numbers, however much SDKs report', async () => {
  const most = Number.MAX_SAFE_INTEGER;
  await rig.database.rows('update flags.feature_usage set yes = $1, no = 1', [most]);
  const today = new Date().toISOString().slice(0, 10);
  const { metricsSummaryTrends } = await rig.ask(contracts.listWeeklyTrends, { from: today, to: today });
  expect(metricsSummaryTrends).toMatchObject([{ totalRequests: most, totalYes: most, totalNo: 2 }]);
});

it('a period of weeks that begins in the year 0, which Postgres does not have, is refused', async () => {
  const asked = rig.ask(contracts.listWeeklyTrends, { from: '0000-01-01', to: '9999-12-31' });
  await expect(asked).rejects.toMatchObject({ code: 'validation' });
  await rig.ask(contracts.listWeeklyTrends, { from: '0001-01-01', to: '9999-12-31' });
});
