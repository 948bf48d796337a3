import { type Budget, noBudget } from './budget.ts';
import { compileConstraint } from './constraint.ts';
import type { Context } from './context.ts';
import type { DependencyDefinition, FlagDefinition, SegmentDefinition } from './definitions.ts';
import { type Evaluation, off } from './evaluation.ts';
import { type CompiledFlag, type CompiledSegment, compileFlag, evaluateStrategies } from './flag.ts';
import { evaluateStrategiesWithReasons, type Reasons } from './reasons.ts';
import type { EvaluationHost } from './strategies.ts';

export type EvaluationOptions = Partial<EvaluationHost>;

export interface FlagsState {
  readonly features: readonly FlagDefinition[];
  readonly segments?: readonly SegmentDefinition[];
  /** Of other flags. Each is compiled when it is first evaluated. Spends steps of the budget for it. */
  readonly definitionOf?: (name: string, budget: Budget) => FlagDefinition | undefined;
}

/** Compiles flags and the segments to which their strategies refer by id. */
export function compileFlags(
  { features, segments = [], definitionOf }: FlagsState,
  options: EvaluationOptions = {},
): CompiledFlags {
  const flags = new CompiledFlags(options, definitionOf);
  for (const segment of segments) flags.setSegment(segment);
  for (const feature of features) flags.setFlag(feature);
  return flags;
}

/**
 * The flags of one environment, compiled. A change of a flag compiles this flag, and a change of a segment this
 * segment. The order of changes does not matter: a flag may come before its parents and its segments.
 */
export class CompiledFlags {
  readonly #host: EvaluationHost;
  readonly #definitionOf: NonNullable<FlagsState['definitionOf']>;
  readonly #flags = new Map<string, CompiledFlag>();
  /** Of every id that a flag or a segment has ever had. */
  readonly #segments = new Map<number, CompiledSegment>();

  constructor(
    { random = Math.random, hostname = '' }: EvaluationOptions = {},
    definitionOf: FlagsState['definitionOf'] = () => undefined,
  ) {
    this.#host = { random, hostname };
    this.#definitionOf = definitionOf;
  }

  setFlag(definition: FlagDefinition): void {
    this.#flags.set(
      definition.name,
      compileFlag(definition, (id) => this.#segmentOf(id), this.#host),
    );
  }

  deleteFlag(name: string): void {
    this.#flags.delete(name);
  }

  setSegment(definition: SegmentDefinition): void {
    const constraints = (definition.constraints ?? []).map(compileConstraint);
    Object.assign(this.#segmentOf(definition.id), { definition, constraints });
  }

  /** Strategies that refer to the segment are off from now on. */
  deleteSegment(id: number): void {
    Object.assign(this.#segmentOf(id), { definition: null, constraints: [] });
  }

  /**
   * An unknown flag is off. `now` is in milliseconds since 1970; constraints on dates use it where the context has no
   * `currentTime`. Throws what the budget throws.
   */
  evaluate(name: string, context: Context, now: number, budget = noBudget): Evaluation {
    const flag = this.#flagOf(name, budget);
    if (!flag?.definition.enabled || !this.#areDependenciesSatisfied(flag, context, now, budget)) return off;
    return evaluateStrategies(flag, context, now, budget);
  }

  /** As `evaluate`, with the result of every strategy, also of disabled flags. Null for an unknown flag. */
  evaluateWithReasons(name: string, context: Context, now: number, budget = noBudget): Reasons | null {
    const flag = this.#flagOf(name, budget);
    if (!flag) return null;
    const { evaluation, ...reasons } = evaluateStrategiesWithReasons(flag, context, now, budget);
    const hasUnsatisfiedDependency = !this.#areDependenciesSatisfied(flag, context, now, budget);
    const isOff = !flag.definition.enabled || hasUnsatisfiedDependency;
    return { evaluation: isOff ? off : evaluation, hasUnsatisfiedDependency, ...reasons };
  }

  #flagOf(name: string, budget: Budget): CompiledFlag | undefined {
    const known = this.#flags.get(name);
    if (known) return known;
    const definition = this.#definitionOf(name, budget);
    if (definition) this.setFlag(definition);
    return this.#flags.get(name);
  }

  #segmentOf(id: number): CompiledSegment {
    const known = this.#segments.get(id);
    if (known) return known;
    const segment = { definition: null, constraints: [] };
    this.#segments.set(id, segment);
    return segment;
  }

  #areDependenciesSatisfied(
    { definition: { dependencies } }: CompiledFlag,
    context: Context,
    now: number,
    budget: Budget,
  ): boolean {
    return (
      dependencies === undefined || dependencies.every((parent) => this.#isSatisfied(parent, context, now, budget))
    );
  }

  /** A parent must exist and have no parents itself. `variants` count only if it should be enabled. */
  #isSatisfied(
    { feature, enabled = true, variants = [] }: DependencyDefinition,
    context: Context,
    now: number,
    budget: Budget,
  ): boolean {
    const parent = this.#flagOf(feature, budget);
    if (!parent || (parent.definition.dependencies ?? []).length > 0) return false;
    const evaluation = this.evaluate(feature, context, now, budget);
    if (!enabled) return !evaluation.enabled;
    return evaluation.enabled && (variants.length === 0 || variants.includes(evaluation.variant.name));
  }
}
