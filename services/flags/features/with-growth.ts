import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import { findFlagPlaces } from '../changes/growth.repo.ts';
import { decideGrowth } from '../changes/growth.ts';
import { growthOf } from '../changes/sizes.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { Limits } from '../places/limits/limits.ts';
import type { DecidedChange } from './decide-change.ts';

/**
 * The changes with their growth, in their order, and an error for each that grows above a limit. Changes that leave the
 * sizes of their flags read nothing.
 */
export async function withGrowth(
  trx: Transaction<FlagsTables>,
  changes: readonly DecidedChange[],
  limits: Limits,
): Promise<(DecidedChange | AppError)[]> {
  const growing = new Map(
    changes.flatMap(({ before, after, difference }) => {
      const growth = growthOf(before, after);
      return difference?.archive === null && growth !== 0 ? [[before.name, growth]] : [];
    }),
  );
  if (growing.size === 0) return [...changes];
  const places = await findFlagPlaces(trx, [...growing.keys()]);
  const sized = [...growing].map(([featureName, growth]) => ({ featureName, growth }));
  const decided = decideGrowth(sized, places, limits);
  return changes.map((change) => {
    const { name } = change.before;
    const decision = decided.get(name);
    if (decision instanceof AppError) return decision;
    return decision === 'known' ? { ...change, growth: growing.get(name) } : change;
  });
}
