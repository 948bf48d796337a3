import type { Transaction } from '@yardarm/shared/db';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { FlagsTables } from '../../db/schema.ts';
import { maxStrategyBytes } from '../../targeting/strategies/strategy.ts';
import { findFeatureAbove } from './environment-copies.repo.ts';

/** Flags have a limit over all environments, which a copied environment or one that returns can exceed. */
export async function requireStrategiesWithinLimit(
  trx: Transaction<FlagsTables>,
  projects: readonly string[],
): Promise<void> {
  const name = await findFeatureAbove(trx, projects, maxStrategyBytes);
  if (name === null) return;
  throw new AppError(
    'limit-exceeded',
    `The strategies and variants of the flag ${redactValue(name, [])} would have more than ${maxStrategyBytes} bytes over all environments.`,
  );
}
