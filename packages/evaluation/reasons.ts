import type { Budget } from './budget.ts';
import type { Check } from './constraint.ts';
import type { Context } from './context.ts';
import type { SegmentDefinition } from './definitions.ts';
import { type Evaluation, off, type Variant } from './evaluation.ts';
import { type CompiledFlag, type CompiledStrategy, onWithVariant, stepsOfConstraint } from './flag.ts';

/** Why a flag is on or off, with the names of the playground's interface. Lists have the order of the definition. */
export interface Reasons {
  readonly evaluation: Evaluation;
  readonly hasUnsatisfiedDependency: boolean;
  /**
   * Of all strategies together, whether or not the flag is enabled. It is unknown if none is on, but one is unknown.
   * Without strategies it is whether the flag is enabled.
   */
  readonly result: boolean | 'unknown';
  readonly strategies: readonly StrategyReason[];
}

export interface StrategyReason {
  readonly result: /** `variant` is the one that the strategy would choose, also while it is off. */
    | { readonly evaluationStatus: 'complete'; readonly enabled: boolean; readonly variant?: Variant }
    /**
     * A disabled strategy is unevaluated and unknown. One that only an application can evaluate is incomplete. It is
     * false if a constraint or a segment is.
     */
    | { readonly evaluationStatus: 'unevaluated' | 'incomplete'; readonly enabled: 'unknown' | false };
  readonly constraints: readonly boolean[];
  readonly segments: readonly SegmentReason[];
}

export interface SegmentReason {
  /** The definition of the segment; null if no segment has the id. */
  readonly definition: SegmentDefinition | null;
  readonly result: boolean;
  readonly constraints: readonly boolean[];
}

type StrategyReasons = Omit<Reasons, 'hasUnsatisfiedDependency'>;

/** As `evaluateStrategies`, but evaluates every strategy with everything in it, each once. */
export function evaluateStrategiesWithReasons(
  flag: CompiledFlag,
  context: Context,
  now: number,
  budget: Budget,
): StrategyReasons {
  const strategies = flag.all.map((strategy) => reasonOf(strategy, context, now, budget));
  const results = strategies.map(({ result }) => result);
  const first = results.find(({ enabled }) => enabled === true);
  const isUnknown = results.some(({ enabled }) => enabled === 'unknown');
  const result = first !== undefined || (isUnknown ? 'unknown' : strategies.length === 0 && flag.definition.enabled);
  if (first === undefined && flag.strategies.length > 0) return { evaluation: off, result, strategies };
  const variant = first?.evaluationStatus === 'complete' ? first.variant : undefined;
  const evaluation = variant ? { enabled: true, variant } : onWithVariant(flag, null, context, budget);
  return { evaluation, result, strategies };
}

function reasonOf(strategy: CompiledStrategy, context: Context, now: number, budget: Budget): StrategyReason {
  budget.spend(stepsOfConstraint);
  const resultsOf = (checks: readonly Check[]) =>
    checks.map((check) => {
      budget.spend(stepsOfConstraint);
      return check(context, now, budget);
    });
  const constraints = resultsOf(strategy.constraints);
  const segments = strategy.segments.map((segment) => {
    const results = resultsOf(segment.constraints);
    return {
      definition: segment.definition,
      result: segment.definition !== null && results.every(Boolean),
      constraints: results,
    };
  });
  const areSatisfied = constraints.every(Boolean) && segments.every(({ result }) => result);
  return { result: resultOf(strategy, areSatisfied, context, now, budget), constraints, segments };
}

function resultOf(
  { isDisabled, check, chooseVariant }: CompiledStrategy,
  areSatisfied: boolean,
  context: Context,
  now: number,
  budget: Budget,
): StrategyReason['result'] {
  if (isDisabled) return { evaluationStatus: 'unevaluated', enabled: 'unknown' };
  if (check === null) return { evaluationStatus: 'incomplete', enabled: areSatisfied ? 'unknown' : false };
  const enabled = areSatisfied && check(context, now, budget);
  if (!chooseVariant) return { evaluationStatus: 'complete', enabled };
  return { evaluationStatus: 'complete', enabled, variant: chooseVariant(context, budget).variant };
}
