import type { flagsLimitsSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';

/** The limits of an installation. Each is a setting with the public product's name and default. */
export interface Limits {
  features: number;
  segments: number;
  projects: number;
  environments: number;
  /** Per flag and environment. */
  strategies: number;
  /** Per strategy. */
  strategySegments: number;
  /** Per strategy or segment. */
  constraints: number;
  /** Per constraint of a strategy. */
  constraintValues: number;
  /** Per segment, over all constraints. */
  segmentValues: number;
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
