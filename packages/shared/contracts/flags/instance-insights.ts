import { z } from 'zod';
import { request } from '../contract.ts';
import { daySchema } from '../day.ts';

const count = z.number().int().min(0);
const days = z.number().min(0);

const ages = z.object({ flagsOlderThanWeek: count, newFlagsThisWeek: count });

/** Medians are in days, 0 without flags. Flags of the types operational, kill-switch and permission are permanent. */
export const lifecycleTrendSchema = z
  .object({
    totalFlags: count,
    medianDaysInCurrentStage: days,
    medianDaysHistorically: days,
    categories: z.object({ experimental: ages, release: ages, permanent: ages }),
  })
  .meta({
    examples: [
      {
        ...{ totalFlags: 3, medianDaysInCurrentStage: 12, medianDaysHistorically: 9.5 },
        categories: {
          experimental: { flagsOlderThanWeek: 0, newFlagsThisWeek: 1 },
          release: { flagsOlderThanWeek: 1, newFlagsThisWeek: 0 },
          permanent: { flagsOlderThanWeek: 1, newFlagsThisWeek: 0 },
        },
      },
    ],
  });

export type LifecycleTrend = z.output<typeof lifecycleTrendSchema>;

export const getLifecycleTrends = request({
  name: 'flags.lifecycle.summarize',
  writes: false,
  summary: 'How many flags are under development, in production or to be cleaned up, and for how long',
  input: z.object({
    /** Only flags of these projects; without it, of all. */
    projects: z.array(z.string()).optional(),
  }),
  output: z.object({
    lifecycleTrends: z.object({
      develop: lifecycleTrendSchema,
      production: lifecycleTrendSchema,
      cleanup: lifecycleTrendSchema,
    }),
  }),
  permission: 'authenticated',
});

/** A week of ISO 8601 in UTC, its end, and the project. */
const ofWeek = { week: z.string(), date: z.iso.datetime(), project: z.string() };

export const weeklyTrendsSchema = z
  .object({
    /** What SDKs have reported, for as long as that is kept. */
    metricsSummaryTrends: z.array(
      z.object({
        ...ofWeek,
        ...{ totalRequests: count, totalYes: count, totalNo: count },
        ...{ totalApps: count, totalFlags: count, totalEnvironments: count },
      }),
    ),
    lifecycleTrends: z.array(z.object({ ...ofWeek, newProductionFlags: count })),
    /** Without flags that were deleted. */
    creationArchiveTrends: z.array(
      z.object({ ...ofWeek, createdFlags: z.record(z.string(), count), archivedFlags: count }),
    ),
  })
  .meta({
    examples: [
      {
        metricsSummaryTrends: [
          {
            ...{ week: '2026-05', date: '2026-02-01T23:59:59.999Z', project: 'default' },
            ...{ totalRequests: 40, totalYes: 30, totalNo: 10, totalApps: 2, totalFlags: 5, totalEnvironments: 1 },
          },
        ],
        lifecycleTrends: [
          { week: '2026-05', date: '2026-02-01T23:59:59.999Z', project: 'default', newProductionFlags: 2 },
        ],
        creationArchiveTrends: [
          {
            ...{ week: '2026-05', date: '2026-02-01T23:59:59.999Z', project: 'default' },
            ...{ createdFlags: { release: 3 }, archivedFlags: 1 },
          },
        ],
      },
    ],
  });

export const listWeeklyTrends = request({
  name: 'flags.project.list-weeks',
  writes: false,
  summary:
    'What happened in each week: evaluations, flags that were made or archived, and flags that entered production',
  input: z.object({ from: daySchema, to: daySchema }),
  output: weeklyTrendsSchema,
  permission: 'authenticated',
});
