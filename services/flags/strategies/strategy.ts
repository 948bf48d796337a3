import type { NewStrategy, Strategy } from '@yardarm/shared/contracts/flags';
import { AppError, badProperty } from '@yardarm/shared/errors';
import type { Limits } from '../limits/limits.ts';
import { checkedVariants } from '../variants/variant.ts';
import { constraintFault } from './constraint.ts';
import { knownStrategies } from './known-strategies.ts';

/** The largest integer of Postgres. */
const maxSortOrder = 2_147_483_647;

/**
 * The admin view and the events send all strategies of a flag in one NATS message, whose default limit is 1 MB. Half of
 * it is left for everything else in the message.
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

export function checkLimits(
  strategy: CheckedStrategy,
  environment: string,
  others: readonly { environment: string; bytes: number }[],
  limits: Limits,
): void {
  if (others.filter((other) => other.environment === environment).length >= limits.strategies) {
    throw new AppError(
      'limit-exceeded',
      `A flag may have at most ${limits.strategies} strategies in an environment. Remove one before you add another.`,
    );
  }
  const { parameters, constraints, variants } = strategy;
  const own = [parameters, constraints, variants].map((part) => Buffer.byteLength(JSON.stringify(part)));
  const bytes = [...own, ...others.map((other) => other.bytes)].reduce((sum, size) => sum + size, 0);
  if (bytes <= maxStrategyBytes) return;
  throw new AppError(
    'limit-exceeded',
    `The strategies of a flag may have at most ${maxStrategyBytes} bytes over all environments. With this one they have ${bytes}.`,
  );
}

/** One above all others. Several strategies can have the maximum. */
export function nextSortOrder(others: readonly { sortOrder: number }[]): number {
  return Math.min(maxSortOrder, Math.max(-1, ...others.map(({ sortOrder }) => sortOrder)) + 1);
}

/** Adds the defaults. Throws `bad-data` that names property and value when SDKs could not evaluate the strategy. */
export function checkedStrategy(strategy: NewStrategy, featureName: string, limits: Limits): CheckedStrategy {
  const known = Object.hasOwn(knownStrategies, strategy.name) ? knownStrategies[strategy.name] : undefined;
  if (!known) throw badProperty(['name'], strategy.name, `should be one of ${Object.keys(knownStrategies).join(', ')}`);
  if (strategy.segments[0] !== undefined) throw badProperty(['segments', 0], strategy.segments[0], 'names no segment');
  if (strategy.title !== null && strategy.title.length > 255) {
    throw badProperty(['title'], strategy.title, 'should have at most 255 characters');
  }
  checkSortOrder(strategy.sortOrder);
  checkConstraints(strategy, limits);
  for (const name of known.percentages) checkPercentage(strategy, name);
  return {
    name: strategy.name,
    title: strategy.title,
    disabled: strategy.disabled ?? false,
    segments: [],
    constraints: strategy.constraints,
    variants: checkedVariants(strategy.variants),
    parameters: withDefaults(strategy.parameters, known.defaults(featureName)),
  };
}

/** An empty parameter counts as absent: forms send one for each empty field. */
function withDefaults(parameters: Record<string, string>, defaults: Record<string, string>): Record<string, string> {
  const absent = Object.entries(defaults).filter(([name]) => !parameters[name]);
  return { ...parameters, ...Object.fromEntries(absent) };
}

function checkSortOrder(sortOrder: number | undefined): void {
  if (sortOrder === undefined || (sortOrder >= 0 && sortOrder <= maxSortOrder)) return;
  throw badProperty(['sortOrder'], sortOrder, `should be a number from 0 to ${maxSortOrder}`);
}

function checkPercentage({ parameters }: NewStrategy, name: string): void {
  const value = parameters[name];
  if (value === undefined || value === '') return;
  if (/^\d{1,3}(\.\d+)?$/.test(value) && Number(value) <= 100) return;
  throw badProperty(['parameters', name], value, 'should be a number from 0 to 100');
}

function checkConstraints({ constraints }: NewStrategy, limits: Limits): void {
  if (constraints.length > limits.constraints) {
    throw badProperty(['constraints'], constraints.length, `should have at most ${limits.constraints} items`);
  }
  for (const [index, constraint] of constraints.entries()) {
    const fault = constraintFault(constraint);
    if (fault) throw badProperty(['constraints', index, fault.property], constraint[fault.property], fault.words);
    const count = constraint.values?.length ?? 0;
    if (count > limits.constraintValues) {
      throw badProperty(
        ['constraints', index, 'values'],
        count,
        `should have at most ${limits.constraintValues} items`,
      );
    }
  }
}
