import type { NewStrategy, Strategy } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { constraintFault } from './constraint.ts';
import { knownStrategies } from './known-strategies.ts';
import { wholeWeight, withWholeWeights } from './variant-weights.ts';

/** The public product's limits (its resource limits page); constraint values as its larger edition has them. */
export const maxStrategies = 30;
const maxConstraints = 30;
const maxConstraintValues = 1000;

/** The range of Postgres's integer. */
const largestSortOrder = 2_147_483_647;

/**
 * All strategies of a flag travel in one message of NATS, whose default limit is 1 MB, inside the admin view and the events:
 * half of it leaves room for everything else in the message.
 */
export const maxStrategyBytes = 500_000;

/** What an environment is given when it is switched on with no strategy that SDKs would see: everybody. */
export const defaultStrategy: NewStrategy = {
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  segments: [],
  constraints: [],
  variants: [],
  parameters: {},
};

/** A strategy as it is stored, but for its id and its place. */
export type CheckedStrategy = Omit<PlacedStrategy, 'sortOrder'>;

export type PlacedStrategy = Omit<Strategy, 'id' | 'featureName'>;

/** Throws `limit-exceeded` unless the flag has room for one more in the environment. */
export function checkRoom(
  strategy: CheckedStrategy,
  environment: string,
  others: readonly { environment: string; bytes: number }[],
): void {
  if (others.filter((other) => other.environment === environment).length >= maxStrategies) {
    throw new AppError(
      'limit-exceeded',
      `A flag may have at most ${maxStrategies} strategies in an environment. Remove one before you add another.`,
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

/** Behind all others; the greatest place can be taken by several. */
export function nextSortOrder(others: readonly { sortOrder: number }[]): number {
  return Math.min(largestSortOrder, Math.max(-1, ...others.map(({ sortOrder }) => sortOrder)) + 1);
}

/** Fills in what the caller left out. Throws `bad-data` naming the property and the value when SDKs could not evaluate it. */
export function checkedStrategy(strategy: NewStrategy, featureName: string): CheckedStrategy {
  const known = Object.hasOwn(knownStrategies, strategy.name) ? knownStrategies[strategy.name] : undefined;
  if (!known) throw wrong(['name'], strategy.name, `should be one of ${Object.keys(knownStrategies).join(', ')}`);
  if (strategy.segments[0] !== undefined) throw wrong(['segments', 0], strategy.segments[0], 'names no segment');
  if (strategy.title !== null && strategy.title.length > 255) {
    throw wrong(['title'], strategy.title, 'should have at most 255 characters');
  }
  checkSortOrder(strategy.sortOrder);
  checkConstraints(strategy);
  for (const name of known.percentages) checkPercentage(strategy, name);
  return {
    name: strategy.name,
    title: strategy.title,
    disabled: strategy.disabled ?? false,
    segments: [],
    constraints: strategy.constraints,
    variants: checkedVariants(strategy),
    parameters: withDefaults(strategy.parameters, known.defaults(featureName)),
  };
}

function wrong(path: (string | number)[], value: unknown, words: string): AppError {
  const property = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return new AppError('bad-data', `The ${property} property ${words}. You sent ${redactValue(value, path)}.`);
}

/** An empty parameter says nothing: forms send them for fields that nobody filled in. */
function withDefaults(parameters: Record<string, string>, defaults: Record<string, string>): Record<string, string> {
  const absent = Object.entries(defaults).filter(([name]) => !parameters[name]);
  return { ...parameters, ...Object.fromEntries(absent) };
}

function checkSortOrder(sortOrder: number | undefined): void {
  if (sortOrder === undefined || (sortOrder >= 0 && sortOrder <= largestSortOrder)) return;
  throw wrong(['sortOrder'], sortOrder, `should be a number from 0 to ${largestSortOrder}`);
}

function checkPercentage({ parameters }: NewStrategy, name: string): void {
  const value = parameters[name];
  if (value === undefined || value === '') return;
  if (/^\d{1,3}(\.\d+)?$/.test(value) && Number(value) <= 100) return;
  throw wrong(['parameters', name], value, 'should be a number from 0 to 100');
}

function checkConstraints({ constraints }: NewStrategy): void {
  if (constraints.length > maxConstraints) {
    throw wrong(['constraints'], constraints.length, `should have at most ${maxConstraints} items`);
  }
  for (const [index, constraint] of constraints.entries()) {
    const fault = constraintFault(constraint);
    if (fault) throw wrong(['constraints', index, fault.property], constraint[fault.property], fault.words);
    const count = constraint.values?.length ?? 0;
    if (count > maxConstraintValues) {
      throw wrong(['constraints', index, 'values'], count, `should have at most ${maxConstraintValues} items`);
    }
  }
}

function checkedVariants({ variants }: NewStrategy): NewStrategy['variants'] {
  const names = new Set<string>();
  for (const [index, { name, payload }] of variants.entries()) {
    if (names.has(name)) throw wrong(['variants', index, 'name'], name, 'should be unique in the strategy');
    names.add(name);
    const words = payload && payloadFault(payload);
    if (words) throw wrong(['variants', index, 'payload', 'value'], payload.value, words);
  }
  const weighted = withWholeWeights(variants);
  if (weighted) return weighted;
  const weights = variants.map(({ weight, weightType }) => ({ weight, weightType }));
  throw wrong(['variants'], weights, `should have weights that can sum to ${wholeWeight}`);
}

/** An SDK hands the payload on as it is; what does not parse would fail in the application that asked for the type. */
function payloadFault(payload: { type: string; value: string }): string | null {
  if (payload.type === 'number') {
    return payload.value.trim() !== '' && Number.isFinite(Number(payload.value)) ? null : 'should be a number';
  }
  if (payload.type !== 'json') return null;
  try {
    JSON.parse(payload.value);
    return null;
  } catch {
    // What the parser says speaks of its position in the text; that it is no JSON is all the caller needs.
    return 'should be JSON';
  }
}
