// What runs in a browser too: everything but TimeBudget, which reads the clock of the CPU.
export { type Budget, noBudget } from './budget.ts';
export { CompiledFlags, compileFlags, type EvaluationOptions, type FlagsState } from './compiled-flags.ts';
export { compileConstraint } from './constraint.ts';
export { type ConstraintProblem, constraintProblem, hasSingleValue, isPattern } from './constraint-problem.ts';
export type { Context } from './context.ts';
export type {
  ConstraintDefinition,
  FlagDefinition,
  SegmentDefinition,
  StrategyDefinition,
  VariantDefinition,
} from './definitions.ts';
export type { Evaluation, Variant } from './evaluation.ts';
export { compilePattern, maxTextLength } from './pattern.ts';
export type { Reasons, SegmentReason, StrategyReason } from './reasons.ts';
export { parseVersion } from './version.ts';
