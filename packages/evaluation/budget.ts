import type { ConstraintDefinition } from './definitions.ts';

/** Bounds the work of evaluations. */
export interface Budget {
  /**
   * Takes steps before they are made, each of some ten nanoseconds at most. May throw, which ends the evaluation.
   * `constraint` is the one that needs them, if one does.
   */
  spend(steps: number, constraint?: ConstraintDefinition): void;
}

export const noBudget: Budget = { spend: () => undefined };
