import { z } from 'zod';
import { request } from '../contract.ts';

const count = z.number().int().nonnegative();

/** The counts have the names that the public product gives them. */
export const flagsCountsSchema = z.object({
  /** The id that provisioning gave the system. */
  instanceId: z.string(),
  /** Flags that are not archived. */
  featureToggles: count,
  archivedFeatureToggles: count,
  projects: count,
  environments: count,
  productionEnvironments: z.array(z.string()),
  contextFields: count,
  segments: count,
  /** Types of strategies. */
  strategies: count,
  /** Of the applications that have reported. */
  clientApps: z.array(z.object({ range: z.enum(['allTime', '30d', '7d']), count })),
  /** Hours of a flag, an environment and an application with evaluations yesterday (UTC), and those with variants. */
  previousDayMetricsBucketsCount: z.object({ enabledCount: count, variantCount: count }),
  /** The most strategies of one flag in one environment. */
  maxEnvironmentStrategies: count,
  /** The most constraints of one strategy. */
  maxConstraints: count,
  /** The most values of one constraint of a strategy. */
  maxConstraintValues: count,
});

export type FlagsCounts = z.output<typeof flagsCountsSchema>;

export const countFlags = request({
  name: 'flags.instance.count',
  writes: false,
  summary: 'How many flags, projects, environments, segments, types of strategies and applications there are',
  input: z.object({}),
  output: flagsCountsSchema,
  permission: 'ADMIN',
});
