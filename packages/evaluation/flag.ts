import type { Budget } from './budget.ts';
import { type Check, compileConstraint } from './constraint.ts';
import type { Context } from './context.ts';
import type { FlagDefinition, SegmentDefinition, StrategyDefinition } from './definitions.ts';
import { type Evaluation, off, onWithoutVariant } from './evaluation.ts';
import { compileStrategy, type EvaluationHost } from './strategies.ts';
import { type ChooseVariant, compileVariants } from './variants.ts';

/** Of one that looks up a text, and of a strategy without its constraints: some tens of nanoseconds. */
export const stepsOfConstraint = 5;

/** Strategies share it and stay as they are when its definition changes. */
export interface CompiledSegment {
  /** Null while no segment has the id: no context is in it. */
  definition: SegmentDefinition | null;
  constraints: readonly Check[];
}

export interface CompiledStrategy {
  readonly isDisabled: boolean;
  readonly constraints: readonly Check[];
  readonly segments: readonly CompiledSegment[];
  /** Null for one that only an application can evaluate. It is off. */
  readonly check: Check | null;
  readonly chooseVariant: ChooseVariant | null;
}

export interface CompiledFlag {
  readonly definition: FlagDefinition;
  /** Of all strategies, in the order of the definition. */
  readonly all: readonly CompiledStrategy[];
  /** The strategies that are evaluated: those that are not disabled. */
  readonly strategies: readonly CompiledStrategy[];
  readonly chooseVariant: ChooseVariant | null;
}

/** `segmentOf` returns the same object for the same id. */
export function compileFlag(
  definition: FlagDefinition,
  segmentOf: (id: number) => CompiledSegment,
  host: EvaluationHost,
): CompiledFlag {
  const { name, strategies, variants } = definition;
  const all = strategies.map((strategy) => compileWholeStrategy(strategy, segmentOf, host));
  const stickiness = variants?.[0]?.stickiness;
  return {
    definition,
    all,
    strategies: all.filter(({ isDisabled }) => !isDisabled),
    chooseVariant: compileVariants(name, stickiness, variants ?? [], host.random),
  };
}

function compileWholeStrategy(
  { name, disabled, parameters = {}, constraints = [], segments = [], variants = [] }: StrategyDefinition,
  segmentOf: (id: number) => CompiledSegment,
  host: EvaluationHost,
): CompiledStrategy {
  const stickiness = variants[0]?.stickiness || parameters.stickiness;
  return {
    isDisabled: disabled === true,
    constraints: constraints.map(compileConstraint),
    segments: segments.map(segmentOf),
    check: compileStrategy(name, parameters, host),
    // The Node SDK hashes the text `undefined` where a group is missing. The admin API always stores a group.
    chooseVariant: compileVariants(String(parameters.groupId), stickiness, variants, host.random),
  };
}

/** Of the strategies of an enabled flag: the first that is on decides. A flag without strategies is on. */
export function evaluateStrategies(flag: CompiledFlag, context: Context, now: number, budget: Budget): Evaluation {
  const { strategies } = flag;
  if (strategies.length === 0) return onWithVariant(flag, null, context, budget);
  for (const strategy of strategies) {
    if (isOn(strategy, context, now, budget)) return onWithVariant(flag, strategy, context, budget);
  }
  return off;
}

/** The variants of a strategy have precedence over those of the flag. */
export function onWithVariant(
  flag: CompiledFlag,
  strategy: CompiledStrategy | null,
  context: Context,
  budget: Budget,
): Evaluation {
  const choose = strategy?.chooseVariant ?? flag.chooseVariant;
  return choose ? choose(context, budget) : onWithoutVariant;
}

function isOn(
  { check, constraints, segments }: CompiledStrategy,
  context: Context,
  now: number,
  budget: Budget,
): boolean {
  budget.spend(stepsOfConstraint);
  if (check === null || !areSatisfied(constraints, context, now, budget)) return false;
  for (const { definition, constraints } of segments) {
    if (definition === null || !areSatisfied(constraints, context, now, budget)) return false;
  }
  return check(context, now, budget);
}

function areSatisfied(constraints: readonly Check[], context: Context, now: number, budget: Budget): boolean {
  for (const check of constraints) {
    budget.spend(stepsOfConstraint);
    if (!check(context, now, budget)) return false;
  }
  return true;
}
