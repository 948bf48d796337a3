import type { ConstraintDefinition } from './definitions.ts';

/** Bounds the work of evaluations. */
export interface Budget {
  /**
   * Takes steps before they are made, each of some ten nanoseconds at most. May throw, which ends the evaluation.
   * `constraint` is the one that needs them, if one does.
   */
  spend(steps: number, constraint?: ConstraintDefinition): void;
  /**
   * The result of a constraint. `result` takes the steps. May throw after it is computed, and an evaluation of the same
   * context that begins again then gets a costly result without computing it: that of `costlySteps` or more.
   */
  compute(steps: number, constraint: ConstraintDefinition, result: () => boolean): boolean;
}

/** To keep a result takes a fiftieth of the time that as many steps take. */
export const costlySteps = 1_000;

/** Takes the steps of a constraint and computes its result. Throws what the budget throws. */
export function spendAndCompute(
  budget: Budget,
  steps: number,
  constraint: ConstraintDefinition,
  result: () => boolean,
): boolean {
  return budget.compute(steps, constraint, () => {
    budget.spend(steps, constraint);
    return result();
  });
}

export const noBudget: Budget = { spend: () => undefined, compute: (_steps, _constraint, result) => result() };
