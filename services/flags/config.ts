import { commonSettings, databaseSettings, integer, loadConfig, streamSettings } from '@yardarm/shared/config';
import type { Limits } from './places/limits/limits.ts';

/** Every setting of the process. The table in README.md lists the same settings. */
export const settings = {
  ...commonSettings,
  ...streamSettings,
  ...databaseSettings,
  // The defaults are those of the public product's largest edition.
  UNLEASH_FEATURE_FLAGS_LIMIT: integer(1, 1_000_000).default(50_000).describe('The maximum number of flags'),
  UNLEASH_SEGMENTS_LIMIT: integer(0, 100_000).default(300).describe('The maximum number of segments'),
  UNLEASH_PROJECTS_LIMIT: integer(1, 100_000).default(500).describe('The maximum number of projects'),
  UNLEASH_ENVIRONMENTS_LIMIT: integer(1, 1_000).default(50).describe('The maximum number of environments'),
  UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT: integer(1, 1_000)
    .default(30)
    .describe('The maximum number of strategies of a flag in an environment'),
  UNLEASH_STRATEGY_SEGMENTS_LIMIT: integer(0, 1_000)
    .default(5)
    .describe('The maximum number of segments of a strategy'),
  UNLEASH_CONSTRAINTS_LIMIT: integer(0, 1_000)
    .default(30)
    .describe('The maximum number of constraints of a strategy or segment'),
  UNLEASH_CONSTRAINT_VALUES_LIMIT: integer(1, 100_000)
    .default(1_000)
    .describe('The maximum number of values of a constraint of a strategy'),
  UNLEASH_SEGMENT_VALUES_LIMIT: integer(1, 100_000)
    .default(1_000)
    .describe('The maximum number of values of a segment, over all its constraints'),
  ENVIRONMENT_BYTES_LIMIT: integer(1_000_000, 10_000_000_000)
    // A gateway needs 7 bytes of memory for each byte, and 11 while it loads: for three environments 1,100 MB of the
    // 1,280 MB that compose gives it. 10,000 flags with a strategy, a constraint and two variants have 15 MB.
    .default(40_000_000)
    .describe('The maximum size in bytes of what SDKs read of an environment'),
  PROJECT_BYTES_LIMIT: integer(100_000, 10_000_000_000)
    // Half of an environment: one project alone leaves the others half of it. Two such projects fill it.
    .default(20_000_000)
    .describe('The maximum size in bytes of what SDKs read of a project in an environment'),
  USAGE_RETENTION_DAYS: integer(1, 365)
    // A thousand flags in ten applications make a quarter of a million rows a day, some 50 MB.
    .default(30)
    .describe('How many days the counts of evaluations are kept, and applications that no longer report'),
};

export type FlagsConfig = ReturnType<typeof loadFlagsConfig>;

export function loadFlagsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}

export function limitsOf(config: FlagsConfig): Limits {
  return {
    features: config.UNLEASH_FEATURE_FLAGS_LIMIT,
    segments: config.UNLEASH_SEGMENTS_LIMIT,
    projects: config.UNLEASH_PROJECTS_LIMIT,
    environments: config.UNLEASH_ENVIRONMENTS_LIMIT,
    strategies: config.UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT,
    strategySegments: config.UNLEASH_STRATEGY_SEGMENTS_LIMIT,
    constraints: config.UNLEASH_CONSTRAINTS_LIMIT,
    constraintValues: config.UNLEASH_CONSTRAINT_VALUES_LIMIT,
    segmentValues: config.UNLEASH_SEGMENT_VALUES_LIMIT,
    environmentBytes: config.ENVIRONMENT_BYTES_LIMIT,
    projectBytes: config.PROJECT_BYTES_LIMIT,
  };
}
