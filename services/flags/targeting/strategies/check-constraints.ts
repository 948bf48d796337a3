import type { Constraint } from '@yardarm/shared/contracts/flags';
import type { Kysely } from '@yardarm/shared/db';
import { throwFirst } from '@yardarm/shared/errors';
import type { FlagsTables } from '../../db/schema.ts';
import type { Limits } from '../../places/limits/limits.ts';
import type { FlagsResources } from '../../resources.ts';
import { constraintErrors, errorsOfConstraints } from './constraint.ts';
import { findLegalValues } from './constraints.repo.ts';

/** The constraints, if a strategy or segment may have them. Otherwise an error names what is wrong. */
export async function checkedConstraints(
  db: Kysely<FlagsTables>,
  constraints: Constraint[],
  limits: Limits,
  owner: 'strategy' | 'segment',
): Promise<Constraint[]> {
  throwFirst(errorsOfConstraints(constraints, await findLegalValues(db, constraints), limits, owner));
  return constraints;
}

export async function validateConstraint({ db }: FlagsResources, constraint: Constraint): Promise<void> {
  throwFirst(constraintErrors(constraint, await findLegalValues(db.kysely, [constraint])));
}
