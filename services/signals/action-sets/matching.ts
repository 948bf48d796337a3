import {
  type Budget,
  BudgetExceeded,
  type ConstraintDefinition,
  compileConstraint,
  noBudget,
} from '@yardarm/evaluation';
import type { ActionSet } from '@yardarm/shared/contracts/signals';
import { findScalar, type Scalar, textOf } from './payload-path.ts';

export type Match = ActionSet['match'];

export interface CompiledFilter {
  readonly parameter: string;
  /** What the filter compares; null if the payload has no such parameter. Throws FilterTooSlow. */
  readonly valueIn: (payload: unknown, budget?: Budget) => string | null;
  /** Throws FilterTooSlow. */
  readonly matches: (payload: unknown, budget: Budget) => boolean;
}

/**
 * Of CPU time, for all filters that a signal is compared with, and the parameters of the actions of sets that match. A
 * hundred sets with a filter each take a thousandth.
 */
export const maxFiltersMs = 100;

/** A filter takes longer than a signal may need for its filters. The message names the filter. */
export class FilterTooSlow extends Error {
  override readonly name = 'FilterTooSlow';
}

/**
 * Whether a payload satisfies all filters of a match. Without filters every payload does. The payload is parsed
 * (payload.ts); a signal without a body has the payload null. Throws FilterTooSlow.
 */
export function compileMatch(match: Match): (payload: unknown, budget?: Budget) => boolean {
  const filters = compileFilters(match.payload);
  return (payload, budget = noBudget) => filters.every((filter) => filter.matches(payload, budget));
}

/**
 * Prepares filters. They are constraints of packages/evaluation whose only field is the parameter. Numbers and booleans
 * count as their text, which the number operators parse. A parameter is absent if the path leads to null, an object, a
 * list or nothing. The result is then false before `inverted` applies; NOT_IN is true.
 */
export function compileFilters(filters: Match['payload']): CompiledFilter[] {
  return Object.entries(filters).map(([parameter, { value, values, ...filter }]) => {
    const definition: ConstraintDefinition = {
      ...filter,
      contextName: field,
      ...(value !== undefined && { value }),
      ...(values !== undefined && { values }),
    };
    const check = compileConstraint(definition);
    const within = <Result>(look: () => Result): Result => {
      try {
        return look();
      } catch (error) {
        if (!(error instanceof BudgetExceeded)) throw error;
        throw new FilterTooSlow(`The filter on ${parameter} takes too long for this payload.`);
      }
    };
    return {
      parameter,
      valueIn: (payload, budget = noBudget) => within(() => textOf(findScalar(payload, parameter, budget))),
      matches: (payload, budget) =>
        within(() => check(contextOf(findScalar(payload, parameter, budget) ?? null), Number.NaN, budget)),
    };
  });
}

/** The name of the parameter's value in the context. It is none of the fields that have a meaning of their own. */
const field = 'parameter';

/** Date operators compare `currentTime`, whatever the name of the constraint is. No other operator reads it. */
function contextOf(scalar: Scalar) {
  return { [field]: scalar ?? undefined, currentTime: timeOf(scalar) };
}

/** A date that is not valid satisfies no comparison. An absent `currentTime` would count as the present. */
function timeOf(scalar: Scalar): Date {
  return new Date(typeof scalar === 'string' || typeof scalar === 'number' ? scalar : Number.NaN);
}
