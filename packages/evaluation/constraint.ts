import { type Budget, spendAndCompute } from './budget.ts';
import { type Context, fieldReader, type ReadField, timeOf } from './context.ts';
import type { ConstraintDefinition } from './definitions.ts';
import { containsNetwork, parseNetwork } from './network.ts';
import { Pattern } from './pattern.ts';
import { parseVersion } from './version.ts';

/**
 * Whether a context satisfies a condition at a time, in milliseconds since 1970, which `currentTime` replaces. What
 * takes more than a microsecond is taken from the budget.
 */
export type Check = (context: Context, now: number, budget: Budget) => boolean;

const never: Check = () => false;

/** Reading a text that is no version takes 8 µs, because the parser throws an error. */
const stepsOfVersion = 800;

/** Reading a text that is no address takes up to 6 µs. */
const stepsOfAddress = 600;

/** Comparing an address with a network of IPv6 takes some 20 ns. */
export const stepsOfNetwork = 2;

type Compile = (definition: ConstraintDefinition, read: ReadField) => Check;

type Comparison = (left: number, right: number) => boolean;

const comparisons = {
  EQ: (left, right) => left === right,
  GT: (left, right) => left > right,
  GTE: (left, right) => left >= right,
  LT: (left, right) => left < right,
  LTE: (left, right) => left <= right,
} satisfies Record<string, Comparison>;

const operators = new Map<string, Compile>([
  ['IN', isIn],
  ['NOT_IN', (definition, read) => not(isIn(definition, read))],
  ['STR_STARTS_WITH', textOperator((text, value) => text.startsWith(value))],
  ['STR_ENDS_WITH', textOperator((text, value) => text.endsWith(value))],
  ['STR_CONTAINS', textOperator((text, value) => text.includes(value))],
  ...Object.entries(comparisons).map(([name, isTrue]): [string, Compile] => [`NUM_${name}`, numberOperator(isTrue)]),
  ...Object.entries(comparisons).map(([name, isTrue]): [string, Compile] => [
    `SEMVER_${name}`,
    versionOperator(isTrue),
  ]),
  ['DATE_AFTER', dateOperator(comparisons.GT)],
  ['DATE_BEFORE', dateOperator(comparisons.LT)],
  ['REGEX', isMatch],
  ['IN_CIDR', isInNetwork],
]);

/**
 * Prepares a constraint. A value that the operator cannot compare is false before `inverted` applies; an unknown
 * operator is false in any case.
 */
export function compileConstraint(definition: ConstraintDefinition): Check {
  const compile = operators.get(definition.operator);
  if (!compile) return never;
  const check = compile(definition, fieldReader(definition.contextName));
  return definition.inverted ? not(check) : check;
}

function not(check: Check): Check {
  return (context, now, budget) => !check(context, now, budget);
}

function cleaned({ values = [] }: ConstraintDefinition): string[] {
  return values.filter((value) => value).map((value) => value.trim());
}

function isIn(definition: ConstraintDefinition, read: ReadField): Check {
  const values = new Set(cleaned(definition));
  return (context) => {
    const text = read(context);
    return text !== undefined && values.has(text);
  };
}

function textOperator(isTrue: (text: string, value: string) => boolean): Compile {
  return (definition, read) => {
    const { caseInsensitive } = definition;
    const values = cleaned(definition).map((value) => (caseInsensitive ? value.toLowerCase() : value));
    return (context, _, budget) => {
      const text = caseInsensitive ? read(context)?.toLowerCase() : read(context);
      if (text === undefined) return false;
      const isAnyTrue = () =>
        values.some((value) => {
          budget.spend(text.length, definition);
          return isTrue(text, value);
        });
      return budget.compute(text.length * values.length, definition, isAnyTrue);
    };
  };
}

function numberOperator(isTrue: Comparison): Compile {
  return (definition, read) => {
    const right = Number(definition.value);
    return (context, _, budget) => {
      const text = read(context);
      if (text === undefined) return false;
      return spendAndCompute(budget, text.length, definition, () => isTrue(Number(text), right));
    };
  };
}

function versionOperator(isTrue: Comparison): Compile {
  return (definition, read) => {
    const right = parseVersion(definition.value ?? '');
    if (right === null) return never;
    return (context, _, budget) => {
      const text = read(context);
      if (text === undefined || text.startsWith('v')) return false;
      budget.spend(stepsOfVersion, definition);
      const version = parseVersion(text);
      return version !== null && isTrue(version.compare(right), 0);
    };
  };
}

function dateOperator(isTrue: Comparison): Compile {
  return (definition) => {
    const right = Date.parse(definition.value ?? '');
    return (context, now, budget) => {
      const { currentTime } = context;
      const length = typeof currentTime === 'string' ? currentTime.length : 0;
      return spendAndCompute(budget, length, definition, () => isTrue(timeOf(context, now), right));
    };
  };
}

function isMatch(definition: ConstraintDefinition, read: ReadField): Check {
  const pattern = new Pattern(definition);
  return (context, _, budget) => {
    const text = read(context);
    return text !== undefined && pattern.isIn(text, budget);
  };
}

function isInNetwork(definition: ConstraintDefinition, read: ReadField): Check {
  const networks = cleaned(definition).flatMap((value) => parseNetwork(value) ?? []);
  const steps = stepsOfAddress + stepsOfNetwork * networks.length;
  return (context, _, budget) => {
    const text = read(context);
    if (text === undefined) return false;
    return spendAndCompute(budget, steps, definition, () => {
      // A zone follows an address that an operating system printed. No network has one.
      const address = parseNetwork(text.replace(/%.*/s, ''));
      return address !== null && networks.some((network) => containsNetwork(network, address));
    });
  };
}
