import type { Reasons, StrategyReason } from '@yardarm/evaluation';
import {
  type Constraint,
  maxPlaygroundEvaluations,
  type PlaygroundEvaluation,
  type PlaygroundStrategy,
  type Strategy,
  type Variant,
} from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Dependency } from '../../features/dependencies/dependency.ts';

/** A flag in an environment. One that its project does not have there is off and has no strategies. */
export interface FlagInEnvironment {
  name: string;
  projectId: string;
  environment: string;
  enabled: boolean;
  variants: Variant[];
  /** The strategies in their order, with the disabled ones. */
  strategies: Omit<Strategy, 'featureName' | 'sortOrder'>[];
  dependencies: Dependency[];
}

export interface StoredSegment {
  id: number;
  name: string;
  constraints: Constraint[];
}

export type Fields = Readonly<Record<string, readonly string[]>>;

type FlatContext = Record<string, string>;

/** As much as 50,000 flags, the default limit, have in one environment with one strategy each. */
export const maxAnswerBytes = 50_000_000;

export function countContexts(fields: Fields): number {
  return Object.values(fields).reduce((product, { length }) => product * length, 1);
}

/** Every combination of the values. The last field changes first. */
export function* contextsOf(fields: Fields): Generator<FlatContext> {
  const entries = Object.entries(fields);
  const positions = entries.map(() => 0);
  for (;;) {
    yield Object.fromEntries(entries.map(([name, values], index) => [name, values[positions[index]!]!]));
    let index = entries.length - 1;
    while (index >= 0 && positions[index] === entries[index]![1].length - 1) {
      positions[index] = 0;
      index -= 1;
    }
    if (index < 0) return;
    positions[index]! += 1;
  }
}

/** Contexts with as many values take two megabytes. */
const maxKeptValues = 200_000;

/** All contexts, if they are small together: to make them again for each flag takes longer than to evaluate it. */
export function keptContexts(fields: Fields): FlatContext[] | null {
  return countContexts(fields) * Object.keys(fields).length <= maxKeptValues ? [...contextsOf(fields)] : null;
}

/** Throws `bad-data` when the contexts alone make the answer too large, before the flags are read. */
export function requireShortContexts(evaluationsOfEach: number, fields: Fields): void {
  const [first] = contextsOf(fields);
  const bytes = Buffer.byteLength(JSON.stringify(first));
  if (bytes * evaluationsOfEach * countContexts(fields) > maxAnswerBytes) throw answerTooLarge();
}

/** Throws `bad-data` for more evaluations than the limit. */
export function requireFewEvaluations(flags: number, environments: number, contexts: number): void {
  if (flags === 0 || environments * contexts === 1 || flags * environments * contexts <= maxPlaygroundEvaluations)
    return;
  // A request of 500 kB can have more combinations than a number can count.
  const formatCount = (count: number) => (Number.isSafeInteger(count) ? count : 'more than 10^15');
  throw new AppError(
    'bad-data',
    `The request asks for ${formatCount(flags * environments * contexts)} evaluations, and ${maxPlaygroundEvaluations} are allowed. Name fewer \`environments\` (${environments}), fewer \`projects\` (they have ${flags} flags), or fewer values in \`context\` (${formatCount(contexts)} combinations).`,
  );
}

export function answerTooLarge(): AppError {
  return new AppError(
    'bad-data',
    `The answer would have more than ${maxAnswerBytes} bytes. Name fewer \`projects\` or \`environments\`, or fewer values in \`context\`.`,
  );
}

export function tooLate(): AppError {
  return new AppError('timeout', 'The deadline passed before all flags were evaluated.');
}

export function evaluationTooLarge({ name, environment }: { name: string; environment: string }): AppError {
  return new AppError(
    'bad-data',
    `The flag ${name} is too large in ${environment} to be evaluated here. Name \`projects\` without it.`,
  );
}

/** Its property is `environment` in one route and `environments` in another. */
export function unknownPlace(kind: 'environment' | 'project', name: string): AppError {
  return new AppError('bad-data', `The body names the ${kind} ${redactValue(name, [])}, which does not exist.`);
}

/** A flag as it is in an environment, with the reasons of its evaluation. */
export function toEvaluation(
  flag: FlagInEnvironment,
  context: FlatContext,
  { evaluation, hasUnsatisfiedDependency, result, strategies }: Reasons,
  segments: ReadonlyMap<number, StoredSegment>,
): PlaygroundEvaluation {
  const { name, projectId, environment, enabled } = flag;
  const deciding = flag.strategies[strategies.findIndex((strategy) => strategy.result.enabled === true)];
  const ofStrategy = deciding?.variants ?? [];
  return {
    ...{ name, projectId, environment, context },
    isEnabled: evaluation.enabled,
    isEnabledInCurrentEnvironment: enabled,
    hasUnsatisfiedDependency,
    variant: { ...shortVariant(evaluation.variant), feature_enabled: evaluation.enabled },
    variants: ofStrategy.length > 0 ? ofStrategy : flag.variants,
    strategies: {
      result,
      data: flag.strategies.map((strategy, index) => toStrategy(flag, strategy, strategies[index]!, segments)),
    },
  };
}

function toStrategy(
  flag: FlagInEnvironment,
  {
    id,
    name,
    title,
    disabled,
    parameters,
    constraints,
    segments: ids,
    variants,
  }: FlagInEnvironment['strategies'][number],
  reason: StrategyReason,
  segments: ReadonlyMap<number, StoredSegment>,
): PlaygroundStrategy {
  const withResults = (of: StoredSegment['constraints'], results: readonly boolean[]) =>
    of.map((constraint, index) => ({ ...constraint, result: results[index]! }));
  return {
    ...{ id, name, ...(title !== null && { title }), disabled, parameters },
    result: resultOf(reason, variants),
    constraints: withResults(constraints, reason.constraints),
    segments: ids.flatMap((segmentId, index) => {
      const segment = segments.get(segmentId);
      const { result, constraints: results } = reason.segments[index]!;
      if (!segment) return [];
      return [{ id: segmentId, name: segment.name, result, constraints: withResults(segment.constraints, results) }];
    }),
    links: { edit: editPath(flag, id) },
  };
}

function resultOf(
  { result }: StrategyReason,
  variants: FlagInEnvironment['strategies'][number]['variants'],
): PlaygroundStrategy['result'] {
  if (result.evaluationStatus !== 'complete') return result;
  const { evaluationStatus, enabled, variant } = result;
  return { evaluationStatus, enabled, ...(variant && { variant: shortVariant(variant), variants }) };
}

function shortVariant({ name, enabled, payload }: Reasons['evaluation']['variant']) {
  return { name, enabled, ...(payload && { payload }) };
}

function editPath({ name, projectId, environment }: FlagInEnvironment, strategyId: string): string {
  const [project, flag, place] = [projectId, name, environment].map(encodeURIComponent);
  return `/projects/${project}/features/${flag}/strategies/edit?environmentId=${place}&strategyId=${strategyId}`;
}
