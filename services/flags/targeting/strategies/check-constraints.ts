import type { Constraint } from '@yardarm/shared/contracts/flags';
import type { Kysely } from '@yardarm/shared/db';
import { AppError, throwFirst } from '@yardarm/shared/errors';
import type { FlagsTables } from '../../db/schema.ts';
import type { Limits } from '../../places/limits/limits.ts';
import type { FlagsResources } from '../../resources.ts';
import { constraintErrors, errorsOfConstraints, toStoredConstraint } from './constraint.ts';
import { findLegalValues } from './constraints.repo.ts';

/** The constraints, if a strategy or segment may have them. Otherwise an error names what is wrong. */
export async function checkedConstraints(
  db: Kysely<FlagsTables>,
  constraints: Constraint[],
  limits: Limits,
  owner: 'strategy' | 'segment',
): Promise<Constraint[]> {
  throwFirst(errorsOfConstraints(constraints, await findLegalValues(db, constraints), limits, owner));
  return constraints.map(toStoredConstraint);
}

export async function validateConstraint({ db, limits }: FlagsResources, constraint: Constraint): Promise<void> {
  // Parsing thousands of networks would stop the other requests of the process, and nothing may have them.
  const maximum = Math.max(limits.constraintValues, limits.segmentValues);
  const count = constraint.values?.length ?? 0;
  if (count > maximum) {
    throw new AppError('bad-data', `The .values property should have at most ${maximum} items. You sent ${count}.`);
  }
  throwFirst(constraintErrors(constraint, await findLegalValues(db.kysely, [constraint])));
}
