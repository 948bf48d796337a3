import { compilePattern, parseNetwork, parseVersion } from '@yardarm/evaluation';
import type { Constraint } from '@yardarm/shared/contracts/flags';
import { AppError, badProperty } from '@yardarm/shared/errors';
import { z } from 'zod';
import type { Limits } from '../limits/limits.ts';

/** The legal values of context fields, by name. A field without an entry may have any value. */
export type LegalValues = ReadonlyMap<string, readonly string[]>;

export interface ConstraintFault {
  path: ['value'] | ['values'] | ['values', number];
  words: string;
}

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const date = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

/** The sum of the counts of a pattern, such as 5 for `a{2}b{3}`. RE2 writes the repeated part out, once per count. */
const maxRepeats = 1000;

/** Strict, because SDKs read `v1.2` and blanks differently. */
function isVersion(value: string): boolean {
  return /^\d/.test(value) && value.trim() === value && parseVersion(value) !== null;
}

/** Whether a user's pattern is in RE2 syntax and cheap to compile. */
export function isPattern(value: string): boolean {
  const repeats = [...value.matchAll(/\{(\d*),?(\d*)\}/g)].map(([, min, max]) => Math.max(Number(min), Number(max)));
  if (value === '' || repeats.reduce((sum, count) => sum + count, 0) > maxRepeats) return false;
  return compilePattern(value) !== null;
}

/** The operators that compare with one value: whether the value is valid, and the text of the refusal. */
const singleValue: readonly [prefix: string, isValid: (value: string) => boolean, words: string][] = [
  ['NUM_', (value) => decimal.test(value) && Number.isFinite(Number(value)), 'should be a number'],
  ['DATE_', (value) => date.safeParse(value).success, 'should be a date-time (ISO 8601)'],
  ['SEMVER_', isVersion, 'should be a version such as 1.2.3 (semver 2.0.0)'],
  ['REGEX', isPattern, `should be a pattern in RE2 syntax that repeats at most ${maxRepeats} times`],
];

/** The operators that compare with a list whose items have a form. */
const formOfItems: readonly [prefix: string, isValid: (value: string) => boolean, words: string][] = [
  ['STR_', (value) => value !== '', 'should not be empty: every text contains the empty one'],
  ['IN_CIDR', (value) => parseNetwork(value) !== null, 'should be an address or a network (IPv4 or IPv6)'],
];

/**
 * The wrong property and what it should be, or null. SDKs silently evaluate a constraint as false if they cannot
 * compare. An empty list is valid for IN and NOT_IN only.
 */
export function constraintFault(constraint: Constraint): ConstraintFault | null {
  const { operator, value, values } = constraint;
  const single = singleValue.find(([prefix]) => operator.startsWith(prefix));
  if (single) {
    const [, isValid, words] = single;
    return value !== undefined && isValid(value) ? null : { path: ['value'], words };
  }
  if (values === undefined) return { path: ['values'], words: `should be a list for ${operator}` };
  if (values.length === 0 && operator !== 'IN' && operator !== 'NOT_IN') {
    return { path: ['values'], words: `should have at least one item for ${operator}` };
  }
  const form = formOfItems.find(([prefix]) => operator.startsWith(prefix));
  const index = form ? values.findIndex((item) => !form[1](item)) : -1;
  return form && index >= 0 ? { path: ['values', index], words: form[2] } : null;
}

/** The first value that is not legal, or null. `legal` is empty for a field that may have any value. */
export function illegalValue(constraint: Constraint, legal: readonly string[]): ConstraintFault | null {
  if (legal.length === 0) return null;
  const words = `should be a legal value of the context field ${constraint.contextName}`;
  if (singleValue.some(([prefix]) => constraint.operator.startsWith(prefix))) {
    return legal.includes(constraint.value ?? '') ? null : { path: ['value'], words };
  }
  const index = (constraint.values ?? []).findIndex((value) => !legal.includes(value));
  return index >= 0 ? { path: ['values', index], words } : null;
}

/** `bad-data` that names the property, below `path`, unless SDKs can evaluate the constraint. */
export function* constraintErrors(
  constraint: Constraint,
  legal: LegalValues,
  path: (string | number)[] = [],
): Generator<AppError> {
  const fault = constraintFault(constraint) ?? illegalValue(constraint, legal.get(constraint.contextName) ?? []);
  if (!fault) return;
  const [property, index] = fault.path;
  const sent = index === undefined ? constraint[property] : constraint.values?.[index];
  yield badProperty([...path, ...fault.path], sent, fault.words);
}

/**
 * What refuses the constraints of a strategy or a segment: `limit-exceeded` for too many, and `bad-data` that names the
 * property. A strategy limits the values of each constraint, a segment those of all its constraints.
 */
export function* errorsOfConstraints(
  constraints: readonly Constraint[],
  legal: LegalValues,
  limits: Limits,
  owner: 'strategy' | 'segment',
): Generator<AppError> {
  if (constraints.length > limits.constraints) {
    yield tooManyItems(['constraints'], constraints.length, limits.constraints);
  }
  const counts = constraints.map(({ values = [] }) => values.length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (owner === 'segment' && total > limits.segmentValues) {
    yield tooManyItems(['constraints', 'values'], total, limits.segmentValues);
  }
  for (const [index, constraint] of constraints.entries()) {
    const count = counts[index] ?? 0;
    if (owner === 'strategy' && count > limits.constraintValues) {
      yield tooManyItems(['constraints', index, 'values'], count, limits.constraintValues);
    }
    yield* constraintErrors(constraint, legal, ['constraints', index]);
  }
}

/** `limit-exceeded` that names the property, the limit and the number sent. */
export function tooManyItems(path: readonly (string | number)[], count: number, limit: number): AppError {
  const property = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return new AppError(
    'limit-exceeded',
    `The ${property} property should have at most ${limit} items. You sent ${count}.`,
  );
}
