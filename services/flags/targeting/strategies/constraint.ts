import { type ConstraintProblem, constraintProblem, hasSingleValue } from '@yardarm/evaluation';
import type { Constraint } from '@yardarm/shared/contracts/flags';
import { AppError, badProperty } from '@yardarm/shared/errors';
import type { Limits } from '../../places/limits/limits.ts';

/** The legal values of context fields, by name. A field without an entry may have any value. */
export type LegalValues = ReadonlyMap<string, readonly string[]>;

/** The first value that is not legal, or null. `legal` is empty for a field that may have any value. */
export function illegalValue(constraint: Constraint, legal: readonly string[]): ConstraintProblem | null {
  if (legal.length === 0) return null;
  const words = `should be a legal value of the context field ${constraint.contextName}`;
  if (hasSingleValue(constraint.operator)) {
    return legal.includes(constraint.value ?? '') ? null : { path: ['value'], words };
  }
  // Thousands of both would be compared millions of times.
  const legalValues = new Set(legal);
  const index = (constraint.values ?? []).findIndex((value) => !legalValues.has(value));
  return index >= 0 ? { path: ['values', index], words } : null;
}

/** The constraint as it is stored: one of a single value has an empty list too, as in the public product. */
export function toStoredConstraint(constraint: Constraint): Constraint {
  return { ...constraint, values: constraint.values ?? [] };
}

/** `bad-data` that names the property, below `path`, unless SDKs can evaluate the constraint. */
export function* constraintErrors(
  constraint: Constraint,
  legal: LegalValues,
  path: (string | number)[] = [],
): Generator<AppError> {
  const problem = constraintProblem(constraint) ?? illegalValue(constraint, legal.get(constraint.contextName) ?? []);
  if (!problem) return;
  const [property, index] = problem.path;
  const sent = index === undefined ? constraint[property] : constraint.values?.[index];
  yield badProperty([...path, ...problem.path], sent, problem.words);
}

/**
 * What refuses the constraints of a strategy or a segment: `limit-exceeded` for too many, and `bad-data` that names the
 * property. A strategy limits the values of each constraint, a segment those of all its constraints.
 */
export function* errorsOfConstraints(
  constraints: readonly Constraint[],
  legal: LegalValues,
  limits: Limits,
  owner: 'strategy' | 'segment',
): Generator<AppError> {
  if (constraints.length > limits.constraints) {
    yield tooManyItems(['constraints'], constraints.length, limits.constraints);
  }
  const counts = constraints.map(({ values = [] }) => values.length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (owner === 'segment' && total > limits.segmentValues) {
    yield tooManyItems(['constraints', 'values'], total, limits.segmentValues);
  }
  for (const [index, constraint] of constraints.entries()) {
    const count = counts[index] ?? 0;
    if (owner === 'strategy' && count > limits.constraintValues) {
      yield tooManyItems(['constraints', index, 'values'], count, limits.constraintValues);
    }
    yield* constraintErrors(constraint, legal, ['constraints', index]);
  }
}

/** `limit-exceeded` that names the property, the limit and the number sent. */
export function tooManyItems(path: readonly (string | number)[], count: number, limit: number): AppError {
  const property = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return new AppError(
    'limit-exceeded',
    `The ${property} property should have at most ${limit} items. You sent ${count}.`,
  );
}
