import { constraintOperators } from '@yardarm/shared/contracts/flags';
import { describe, expect, it } from 'vitest';
import { constraintProblem, isPattern } from './constraint-problem.ts';
import { cpuTimeMs } from './time-budget.ts';

const constraint = { contextName: 'version', caseInsensitive: false, inverted: false };
const startingWith = (prefix: string) => constraintOperators.filter((operator) => operator.startsWith(prefix));
const numbers = startingWith('NUM_');
const dates = startingWith('DATE_');
const versions = startingWith('SEMVER_');
const lists = constraintOperators.filter((operator) => /IN$|^STR_/.test(operator));
const listsWithItems = [...startingWith('STR_'), 'IN_CIDR'] as const;

describe('constraintProblem', () => {
  it('knows every operator as one of six kinds', () => {
    expect([...numbers, ...dates, ...versions, ...lists, 'REGEX', 'IN_CIDR'].sort()).toEqual(
      [...constraintOperators].sort(),
    );
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
    [
      'REGEX',
      startingWith('REGEX'),
      ['^a+$', '(?i)mail', '\\p{Greek}', 'a{500}', '{', 'x{2,}'],
      ['', '(', '[a', '(?=a)', '\\1', 'a{501}', '(a{300})(a{300})', '(a|bc){400}'],
    ],
  ])('%s', (_, operators, good, bad) => {
    it.each(good)('accepts %j', (value) => {
      for (const operator of operators) expect(constraintProblem({ ...constraint, operator, value })).toBeNull();
    });

    it.each(bad)('refuses %j', (value) => {
      for (const operator of operators) {
        expect(constraintProblem({ ...constraint, operator, value })).toMatchObject({ path: ['value'] });
      }
    });

    it('needs a value', () => {
      for (const operator of operators) {
        expect(constraintProblem({ ...constraint, operator, values: ['1'] })).toMatchObject({ path: ['value'] });
      }
    });
  });

  it.each(lists)('%s needs values', (operator) => {
    expect(constraintProblem({ ...constraint, operator, values: ['a'] })).toBeNull();
    expect(constraintProblem({ ...constraint, operator, value: 'a' })).toMatchObject({ path: ['values'] });
  });

  it.each(['IN', 'NOT_IN'] as const)('%s accepts an empty list', (operator) => {
    expect(constraintProblem({ ...constraint, operator, values: [] })).toBeNull();
  });

  it.each(listsWithItems)('%s refuses an empty list and an empty item', (operator) => {
    expect(constraintProblem({ ...constraint, operator, values: [] })).toMatchObject({ path: ['values'] });
    const values = operator === 'IN_CIDR' ? ['10.0.0.1', ''] : ['a', ''];
    expect(constraintProblem({ ...constraint, operator, values })).toMatchObject({ path: ['values', 1] });
  });

  it.each(['10.0.0.0/8', '10.1.2.3', '0.0.0.0/0', '2001:db8::/32', '::1', '::ffff:10.0.0.1/128'])(
    'IN_CIDR accepts %s',
    (value) => {
      expect(constraintProblem({ ...constraint, operator: 'IN_CIDR', values: [value] })).toBeNull();
    },
  );

  it.each(['10.0.0.0/33', '10.0.0', '10.0.0.0/', '10.0.0.0/08', '::/129', 'fe80::1%eth0', 'host', '10.0.0.0/-1'])(
    'IN_CIDR refuses %s',
    (value) => {
      const problem = constraintProblem({ ...constraint, operator: 'IN_CIDR', values: ['::1', value] });
      expect(problem).toMatchObject({ path: ['values', 1] });
    },
  );
});

describe('a pattern', () => {
  it.each([
    ['many classes that are merged', `[${'\\pL'.repeat(330)}]`],
    ['many classes in a row', '\\pL'.repeat(330)],
    ['one that is repeated', '\\pL{500}'],
    ['wide ranges, which take long without regard to case', `[${'A-\u{1E942}'.repeat(249)}]`],
    ['wide ranges of escapes', `[${'A-\\x{1E942}'.repeat(90)}]`],
  ])('with %s is refused before it takes time', (_title, value) => {
    const before = cpuTimeMs();
    expect(isPattern(value)).toBe(false);
    expect(cpuTimeMs() - before).toBeLessThan(50);
  });

  it.each([
    `[\\p{L}\\p{N} .'-]{1,100}`,
    '(?i)^[а-яё]+$',
    '[a-z0-9._-]+@[a-z0-9-]+\\.(com|org)',
    '[\\x{4e00}-\\x{9fff}]+',
  ])('such as %s is accepted', (value) => {
    expect(isPattern(value)).toBe(true);
  });
});
