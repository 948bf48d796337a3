import { constraintOperators } from '@yardarm/shared/contracts/flags';
import { describe, expect, it } from 'vitest';
import { constraintFault } from './constraint.ts';

const constraint = { contextName: 'version', caseInsensitive: false, inverted: false };
const startingWith = (prefix: string) => constraintOperators.filter((operator) => operator.startsWith(prefix));
const numbers = startingWith('NUM_');
const dates = startingWith('DATE_');
const versions = startingWith('SEMVER_');
const lists = constraintOperators.filter((operator) => /IN$|^STR_/.test(operator));

describe('constraintFault', () => {
  it('knows every operator as one of four kinds', () => {
    expect([...numbers, ...dates, ...versions, ...lists].sort()).toEqual([...constraintOperators].sort());
  });

  describe.each([
    [
      'NUM_*',
      numbers,
      ['0', '-1', '+5', '3.14', '.5', '1e3'],
      ['', ' ', 'five', '1,5', '0x10', 'NaN', 'Infinity', '1e999'],
    ],
    [
      'DATE_*',
      dates,
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678+02:00', '2026-01-02'],
      ['', 'tomorrow', '2026-13-01', '02/01/2026', '1767322000'],
    ],
    [
      'SEMVER_*',
      versions,
      ['1.2.3', '0.0.1', '1.2.3-beta.1', '1.2.3+build.5'],
      ['', 'v1.2.3', '1.2', '01.2.3', ' 1.2.3', '1.2.3 ', '=1.2.3', 'latest'],
    ],
  ])('%s', (_, operators, good, bad) => {
    it.each(good)('accepts %j', (value) => {
      for (const operator of operators) expect(constraintFault({ ...constraint, operator, value })).toBeNull();
    });

    it.each(bad)('refuses %j', (value) => {
      for (const operator of operators) {
        expect(constraintFault({ ...constraint, operator, value })).toMatchObject({ property: 'value' });
      }
    });

    it('needs a value', () => {
      for (const operator of operators) {
        expect(constraintFault({ ...constraint, operator, values: ['1'] })).toMatchObject({ property: 'value' });
      }
    });
  });

  it.each(lists)('%s needs values, one at least', (operator) => {
    expect(constraintFault({ ...constraint, operator, values: ['a'] })).toBeNull();
    expect(constraintFault({ ...constraint, operator, values: [] })).toMatchObject({ property: 'values' });
    expect(constraintFault({ ...constraint, operator, value: 'a' })).toMatchObject({ property: 'values' });
  });
});
