export { CompiledFlags, compileFlags, type EvaluationOptions, type FlagsState } from './compiled-flags.ts';
export { type ConstraintDefinition, compileConstraint } from './constraint.ts';
export { type ConstraintFault, constraintFault, hasSingleValue, isPattern } from './constraint-fault.ts';
export type { Context } from './context.ts';
export type { FlagDefinition, SegmentDefinition, StrategyDefinition, VariantDefinition } from './definitions.ts';
export type { Evaluation, Variant } from './evaluation.ts';
export { compilePattern } from './pattern.ts';
export type { Reasons, SegmentReason, StrategyReason } from './reasons.ts';
export { parseVersion } from './version.ts';
