import type { NewStrategy, Strategy } from '@yardarm/shared/contracts/flags';
import { AppError, badProperty, redactValue, throwFirst } from '@yardarm/shared/errors';
import type { Limits } from '../../places/limits/limits.ts';
import { checkedVariants, errorsOfVariants } from '../variants/variant.ts';
import { errorsOfConstraints, tooManyItems, toStoredConstraint } from './constraint.ts';
import { type Definitions, noDefinitions } from './definitions.ts';
import { errorsOfParameters, withDefaults } from './parameters.ts';

/** The largest integer of Postgres. */
const maxSortOrder = 2_147_483_647;

/**
 * The admin view and the events send all strategies and variants of a flag in one NATS message, whose default limit is
 * 1 MB. Half of it is left for everything else in the message.
 */
export const maxStrategyBytes = 500_000;

/** The strategy of an environment that is switched on without an enabled strategy. It matches everybody. */
export const defaultStrategy: NewStrategy = {
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  segments: [],
  constraints: [],
  variants: [],
  parameters: {},
};

export type CheckedStrategy = Omit<SortedStrategy, 'sortOrder'>;

export type SortedStrategy = Omit<Strategy, 'id' | 'featureName'>;

/** Throws `limit-exceeded` unless the flag may have the strategy beside the others and its variants. */
export function checkLimits(
  strategy: CheckedStrategy,
  environment: string,
  others: readonly { environment: string; bytes: number }[],
  limits: Limits,
  variantBytes = 0,
): void {
  const present = others.filter((other) => other.environment === environment).length;
  if (present >= limits.strategies) {
    throw new AppError(
      'limit-exceeded',
      `A flag may have at most ${limits.strategies} strategies in an environment. This one has ${present}. Remove one before you add another.`,
    );
  }
  const { parameters, constraints, variants } = strategy;
  const own = [parameters, constraints, variants].map((part) => Buffer.byteLength(JSON.stringify(part)));
  const bytes = [variantBytes, ...own, ...others.map((other) => other.bytes)].reduce((sum, size) => sum + size, 0);
  requireStrategyBytes(bytes);
}

/** Throws `limit-exceeded` when the strategies and variants of a flag are too large together. */
export function requireStrategyBytes(bytes: number): void {
  if (bytes <= maxStrategyBytes) return;
  throw new AppError(
    'limit-exceeded',
    `The strategies and variants of a flag may have at most ${maxStrategyBytes} bytes over all environments. With this change they have ${bytes}.`,
  );
}

/** One above all others. Several strategies can have the maximum. */
export function nextSortOrder(others: readonly { sortOrder: number }[]): number {
  return Math.min(maxSortOrder, Math.max(-1, ...others.map(({ sortOrder }) => sortOrder)) + 1);
}

/**
 * The strategy of a flag with the defaults of its type. Throws `bad-data` that names property and value when SDKs could
 * not evaluate it, and `limit-exceeded` for too many constraints, values or segments.
 */
export function checkedStrategy(
  strategy: NewStrategy,
  featureName: string,
  limits: Limits,
  definitions: Definitions = noDefinitions,
): CheckedStrategy {
  const checked = checkedWithoutDefaults(strategy, limits, definitions);
  return { ...checked, parameters: withDefaults(checked, featureName) };
}

/** The same for a strategy of no flag. */
export function checkedWithoutDefaults(
  strategy: NewStrategy,
  limits: Limits,
  definitions: Definitions,
): CheckedStrategy {
  throwFirst(errorsOfStrategy(strategy, limits, definitions));
  return {
    name: strategy.name,
    title: strategy.title,
    disabled: strategy.disabled ?? false,
    segments: distinctSegments(strategy),
    constraints: strategy.constraints.map(toStoredConstraint),
    variants: checkedVariants(strategy.variants),
    parameters: strategy.parameters,
  };
}

/** Every reason to refuse a strategy, in the order in which a caller is told. */
export function* errorsOfStrategy(
  strategy: NewStrategy,
  limits: Limits,
  definitions: Definitions,
): Generator<AppError> {
  const { title, sortOrder, constraints, segments, variants } = strategy;
  yield* errorsOfParameters(strategy, definitions.types);
  if (title !== null && title.length > 255) {
    yield badProperty(['title'], title, 'should have at most 255 characters');
  }
  yield* errorsOfSortOrder(sortOrder, ['sortOrder']);
  yield* errorsOfConstraints(constraints, definitions.legalValues, limits, 'strategy');
  for (const [index, id] of segments.entries()) {
    if (definitions.segments.has(id)) continue;
    yield badProperty(['segments', index], id, 'names no segment that the project may use');
  }
  const { length } = distinctSegments(strategy);
  if (length > limits.strategySegments) yield tooManyItems(['segments'], length, limits.strategySegments);
  yield* errorsOfVariants(variants);
}

/** The ids of the strategies of an environment that SDKs see, in the order in which they see them. */
export function visibleOrder(strategies: readonly { id: string; disabled: boolean; sortOrder: number }[]): string {
  const visible = strategies.filter(({ disabled }) => !disabled);
  const sorted = visible.sort((one, other) => one.sortOrder - other.sortOrder || (one.id < other.id ? -1 : 1));
  return sorted.map(({ id }) => id).join();
}

/** `bad-data` that names the property unless the column can store the sort order. */
export function* errorsOfSortOrder(sortOrder: number | undefined, path: readonly PropertyKey[]): Generator<AppError> {
  if (sortOrder === undefined || (sortOrder >= 0 && sortOrder <= maxSortOrder)) return;
  yield badProperty(path, sortOrder, `should be a number from 0 to ${maxSortOrder}`);
}

/** The ids of the segments without repetitions, by id. */
function distinctSegments({ segments }: NewStrategy): number[] {
  return [...new Set(segments)].sort((one, other) => one - other);
}

export function strategyNotFound(id: string, featureName: string, environment: string): AppError {
  const flag = redactValue(featureName, []);
  return new AppError(
    'not-found',
    `Could not find the strategy with ID ${redactValue(id, [])} of the feature ${flag} in the environment ${redactValue(environment, [])}.`,
  );
}
