import { expect, test } from 'vitest';
import { operatorsOf } from './operators.ts';

const labelsOf = (...constraint: [contextName: string, operator: 'IN' | 'DATE_AFTER']) =>
  operatorsOf({ contextName: constraint[0], operator: constraint[1] }).map(({ label }) => label);

test('dates are offered for the time alone, and where a stored constraint has one', () => {
  expect(labelsOf('currentTime', 'DATE_AFTER')).toEqual(['Date']);
  expect(labelsOf('userId', 'IN')).not.toContain('Date');
  expect(labelsOf('joinedAt', 'DATE_AFTER')).toEqual([
    ...labelsOf('joinedAt', 'IN').slice(0, 3),
    'Date',
    'Version',
    'Network',
  ]);
  expect(labelsOf('currentTime', 'IN')).toEqual(['One of a list', 'Date']);
});
