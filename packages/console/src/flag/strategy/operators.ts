import type { Constraint } from '../../save/change.ts';

export type Operator = Constraint['operator'];

/** The operators as people choose them, by what they compare. */
export const operatorGroups: readonly { label: string; operators: readonly [Operator, string][] }[] = [
  {
    label: 'One of a list',
    operators: [
      ['IN', 'is one of'],
      ['NOT_IN', 'is none of'],
    ],
  },
  {
    label: 'Text',
    operators: [
      ['STR_CONTAINS', 'contains'],
      ['STR_STARTS_WITH', 'starts with'],
      ['STR_ENDS_WITH', 'ends with'],
      ['REGEX', 'matches the pattern'],
    ],
  },
  {
    label: 'Number',
    operators: [
      ['NUM_EQ', 'equals'],
      ['NUM_GT', 'is greater than'],
      ['NUM_GTE', 'is at least'],
      ['NUM_LT', 'is less than'],
      ['NUM_LTE', 'is at most'],
    ],
  },
  {
    label: 'Date',
    operators: [
      ['DATE_AFTER', 'is after'],
      ['DATE_BEFORE', 'is before'],
    ],
  },
  {
    label: 'Version',
    operators: [
      ['SEMVER_EQ', 'is version'],
      ['SEMVER_GT', 'is above version'],
      ['SEMVER_GTE', 'is version or above'],
      ['SEMVER_LT', 'is below version'],
      ['SEMVER_LTE', 'is version or below'],
    ],
  },
  { label: 'Network', operators: [['IN_CIDR', 'is in the network']] },
];

/** The operators that a constraint can have: dates for the time, the others for any other field, and what it has. */
export function operatorsOf({ contextName, operator }: Pick<Constraint, 'contextName' | 'operator'>) {
  const isTime = contextName === 'currentTime';
  return operatorGroups.filter(
    ({ label, operators }) => (label === 'Date') === isTime || operators.some(([each]) => each === operator),
  );
}

export type ValueKind = 'list' | 'number' | 'date' | 'version' | 'pattern';

/** With which control a value is entered. */
export function valueKindOf(operator: Operator): ValueKind {
  if (operator.startsWith('NUM_')) return 'number';
  if (operator.startsWith('DATE_')) return 'date';
  if (operator.startsWith('SEMVER_')) return 'version';
  return operator === 'REGEX' ? 'pattern' : 'list';
}

export function canIgnoreCase(operator: Operator): boolean {
  return operator.startsWith('STR_') || operator === 'REGEX';
}

/** The constraint with another operator. What the new one cannot compare is dropped. */
export function withOperator(constraint: Constraint, operator: Operator): Constraint {
  const { value: _value, values = [], ...rest } = constraint;
  const next = { ...rest, operator, caseInsensitive: constraint.caseInsensitive && canIgnoreCase(operator) };
  const kind = valueKindOf(operator);
  if (kind === 'list') return { ...next, values };
  const isSameKind = valueKindOf(constraint.operator) === kind;
  return { ...next, values: [], value: isSameKind ? (constraint.value ?? '') : '' };
}

/** The constraint on another field. Only the time is compared as a date. */
export function withField(constraint: Constraint, contextName: string): Constraint {
  const isTime = contextName === 'currentTime';
  const wasTime = constraint.contextName === 'currentTime';
  const next = { ...constraint, contextName };
  if (isTime === wasTime) return next;
  return withOperator({ ...next, values: [] }, isTime ? 'DATE_AFTER' : 'IN');
}
