import { z } from 'zod';
import { parseNetwork } from './network.ts';
import { compilePattern, compileSteps, maxInstructions, programBytes } from './pattern.ts';
import { parseVersion } from './version.ts';

export interface ConstraintProblem {
  path: ['value'] | ['values'] | ['values', number];
  words: string;
}

/** The part of a constraint that its operator needs. */
interface Compared {
  readonly operator: string;
  readonly value?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const date = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

/** The sum of the counts of a pattern, such as 5 for `a{2}b{3}`. RE2 writes the repeated part out, once per count. */
const maxRepeats = 500;

/** Some 3 ms: twelve classes such as `\p{L}`. A strategy has at most 30 patterns, which are compiled in one turn. */
const maxCompileSteps = 250_000;

/** A sixtieth of what all compiled patterns of a process have. `[\p{L}\p{N} .'-]{1,100}` takes some 600 kB. */
const maxProgramBytes = 1_000_000;

/** Strict, because SDKs read `v1.2` and blanks differently. */
function isVersion(value: string): boolean {
  return /^\d/.test(value) && value.trim() === value && parseVersion(value) !== null;
}

/** Whether a user's pattern is in RE2 syntax, cheap to compile, and of at most `maxInstructions`. */
export function isPattern(value: string): boolean {
  const repeats = [...value.matchAll(/\{(\d*),?(\d*)\}/g)].map(([, min, max]) => Math.max(Number(min), Number(max)));
  if (value === '' || repeats.reduce((sum, count) => sum + count, 0) > maxRepeats) return false;
  if (compileSteps(value) > maxCompileSteps) return false;
  // Without regard to case, classes have more characters, and no pattern has more instructions.
  const pattern = compilePattern(value);
  return pattern !== null && pattern.programSize() <= maxInstructions && programBytes(pattern) <= maxProgramBytes;
}

/** The operators that compare with one value: whether the value is valid, and the text of the refusal. */
const singleValue: readonly [prefix: string, isValid: (value: string) => boolean, words: string][] = [
  ['NUM_', (value) => decimal.test(value) && Number.isFinite(Number(value)), 'should be a number'],
  ['DATE_', (value) => date.safeParse(value).success, 'should be a date-time (ISO 8601)'],
  ['SEMVER_', isVersion, 'should be a version such as 1.2.3 (semver 2.0.0)'],
  [
    'REGEX',
    isPattern,
    `should be a pattern in RE2 syntax that repeats at most ${maxRepeats} times, has few large classes such as \\p{L}, and compiles to at most ${maxInstructions} instructions`,
  ],
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
export function constraintProblem(constraint: Compared): ConstraintProblem | null {
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

/** Whether the operator compares with one value, and not with a list. */
export function hasSingleValue(operator: string): boolean {
  return singleValue.some(([prefix]) => operator.startsWith(prefix));
}
