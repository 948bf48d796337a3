import { AppError } from '@yardarm/shared/errors';
import type { FlagsConfig } from '../config.ts';

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
  };
}

/** The nouns whose number in the installation is limited. */
export type LimitedNoun = 'features' | 'segments' | 'projects' | 'environments';

export function limitExceeded(noun: LimitedNoun, limit: number): AppError {
  return new AppError('limit-exceeded', `There may be at most ${limit} ${noun}. Remove one before you add another.`);
}
