import type { DefaultStrategy, NewStrategy } from '@yardarm/shared/contracts/flags';
import { AppError, badProperty, redactValue } from '@yardarm/shared/errors';
import type { Definitions } from '../../targeting/strategies/definitions.ts';
import { checkedWithoutDefaults, checkLimits } from '../../targeting/strategies/strategy.ts';
import type { StoredEnvironment } from '../environments/environment.ts';
import type { Limits } from '../limits/limits.ts';

/** The public product accepts only this strategy: the others do not suit every flag. */
const allowedStrategy = 'flexibleRollout';

/** How much of the flags of a project is hidden, or returns. */
export interface HiddenCounts {
  features: number;
  strategies: number;
}

/** The data of an event about an environment with hidden strategies or variants of flags; null without any. */
export function hiddenData(counts: HiddenCounts): { features: number; strategies: number } | null {
  return counts.features === 0 ? null : { ...counts };
}

/** Projects add only environments that are on. */
export function requireEnabled({ name, enabled }: StoredEnvironment): void {
  if (enabled) return;
  throw badProperty(['environment'], name, 'should name an environment that is on');
}

export function environmentAlreadyAdded(project: string, environment: string): AppError {
  return new AppError(
    'name-exists',
    `The project ${redactValue(project, [])} already has the environment ${redactValue(environment, [])}.`,
  );
}

/**
 * The default strategy as it is stored. It is checked like the strategy of a flag, but it has no defaults that depend
 * on the flag. A flag gets them with the strategy.
 */
export function checkedDefaultStrategy(
  strategy: NewStrategy,
  limits: Limits,
  definitions: Definitions,
): DefaultStrategy {
  if (strategy.name !== allowedStrategy) {
    throw badProperty(['name'], strategy.name, `should be ${allowedStrategy} for a default strategy`);
  }
  const checked = checkedWithoutDefaults(strategy, limits, definitions);
  checkLimits(checked, '', [], limits);
  return checked;
}
