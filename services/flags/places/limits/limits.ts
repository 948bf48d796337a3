import type { flagsLimitsSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';

/** The limits of an installation. Those that the public product has are settings with its name and default. */
export interface Limits {
  features: number;
  segments: number;
  projects: number;
  environments: number;
  /** How many strategies one flag may have in one environment. */
  strategies: number;
  /** How many segments one strategy may use at most. */
  strategySegments: number;
  /** How many constraints one strategy or one segment may have. */
  constraints: number;
  /** How many values one constraint of a strategy may have. */
  constraintValues: number;
  /** How many values all constraints of one segment may have. */
  segmentValues: number;
  /** How many bytes SDKs may read of one environment. */
  environmentBytes: number;
  /** How many bytes SDKs may read of one project in one environment. */
  projectBytes: number;
}

/** The limits with the names of the public product. */
export function toFlagsLimits(limits: Limits): z.infer<typeof flagsLimitsSchema> {
  return {
    featureFlags: limits.features,
    featureEnvironmentStrategies: limits.strategies,
    strategySegments: limits.strategySegments,
    constraints: limits.constraints,
    constraintValues: limits.constraintValues,
    segments: limits.segments,
    segmentValues: limits.segmentValues,
    projects: limits.projects,
    environments: limits.environments,
  };
}

/** The nouns whose number in the installation is limited. */
export type LimitedNoun = 'features' | 'segments' | 'projects' | 'environments';

export function limitExceeded(noun: LimitedNoun, limit: number): AppError {
  return new AppError('limit-exceeded', `There may be at most ${limit} ${noun}. Remove one before you add another.`);
}

/** The nouns that can be archived, and then no longer count for their limit. */
export type ArchivedNoun = LimitedNoun & ('features' | 'projects');

/**
 * How many there may be with the archived ones, as a multiple of the limit: as many as are archived in a year when a
 * flag lives for 40 days, as releases and experiments do. Who may archive makes no more rows without deleting some. A
 * creation counts them: 550,000 flags in 0.1 to 0.2 s on two busy cores.
 */
const timesWithArchived = 10;

export function limitWithArchived(noun: ArchivedNoun, limits: Limits): number {
  return timesWithArchived * limits[noun];
}

export function archivedLimitExceeded(noun: ArchivedNoun, limit: number): AppError {
  return new AppError(
    'limit-exceeded',
    `There may be at most ${limit} ${noun} together with the archived ones. Delete an archived one before you add another.`,
  );
}
