import type { Constraint } from '@yardarm/shared/contracts/flags';
import semver from 'semver';
import { z } from 'zod';

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const date = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

/** Strict, because SDKs read `v1.2` and blanks differently. */
function isVersion(value: string): boolean {
  return /^\d/.test(value) && value.trim() === value && semver.valid(value) !== null;
}

/** The operators that compare with one value: whether the value is valid, and the text of the refusal. */
const singleValue: readonly [prefix: string, isValid: (value: string) => boolean, words: string][] = [
  ['NUM_', (value) => decimal.test(value) && Number.isFinite(Number(value)), 'should be a number'],
  ['DATE_', (value) => date.safeParse(value).success, 'should be a date-time (ISO 8601)'],
  ['SEMVER_', isVersion, 'should be a version such as 1.2.3 (semver 2.0.0)'],
];

/**
 * The wrong property and what it should be, or null. SDKs silently evaluate a constraint as false if they cannot
 * compare.
 */
export function constraintFault(constraint: Constraint): { property: 'value' | 'values'; words: string } | null {
  const rule = singleValue.find(([prefix]) => constraint.operator.startsWith(prefix));
  if (rule) {
    const [, isValid, words] = rule;
    return constraint.value !== undefined && isValid(constraint.value) ? null : { property: 'value', words };
  }
  if (constraint.values !== undefined && constraint.values.length > 0) return null;
  return { property: 'values', words: `should have at least one item for ${constraint.operator}` };
}
