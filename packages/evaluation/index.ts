export { CompiledFlags, compileFlags, type EvaluationOptions, type FlagsState } from './compiled-flags.ts';
export { type ConstraintDefinition, compileConstraint } from './constraint.ts';
export { type ConstraintProblem, constraintProblem, hasSingleValue, isPattern } from './constraint-problem.ts';
export type { Context } from './context.ts';
export type { FlagDefinition, SegmentDefinition, StrategyDefinition, VariantDefinition } from './definitions.ts';
export type { Evaluation, Variant } from './evaluation.ts';
export { compilePattern } from './pattern.ts';
export type { Reasons, SegmentReason, StrategyReason } from './reasons.ts';
export { parseVersion } from './version.ts';
