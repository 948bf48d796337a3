import { constraintSchema } from '@yardarm/shared/contracts/flags';
import { describe, expect, it } from 'vitest';
import { limits } from '../../testing/limits.ts';
import { errorsOfConstraints, illegalValue } from './constraint.ts';

const constraint = { contextName: 'version', caseInsensitive: false, inverted: false };

describe('illegalValue', () => {
  it.each([
    ['IN', { values: ['a', 'x'] }, ['values', 1]],
    ['IN', { values: ['b', 'a'] }, null],
    ['IN', { values: [] }, null],
    ['SEMVER_EQ', { value: '1.0.0' }, null],
    ['SEMVER_EQ', { value: '1.0.1', values: ['a'] }, ['value']],
    ['REGEX', { value: 'a' }, null],
    ['REGEX', { value: '.' }, ['value']],
  ] as const)('compares the values of %s with %j', (operator, sent, path) => {
    const values = 'values' in sent ? [...sent.values] : [];
    expect(illegalValue({ ...constraint, operator, ...sent, values }, ['a', 'b', '1.0.0'])?.path ?? null).toEqual(path);
  });

  it('accepts every value of a field without legal values', () => {
    expect(illegalValue({ ...constraint, operator: 'IN', values: ['x'] }, [])).toBeNull();
  });
});

describe('errorsOfConstraints', () => {
  const of = (count: number) => ({
    ...constraint,
    operator: 'IN' as const,
    values: Array.from({ length: count }, (_, index) => String(index)),
  });
  const messages = (...args: Parameters<typeof errorsOfConstraints>) =>
    [...errorsOfConstraints(...args)].map(({ message }) => message);

  it('limits the values of each constraint of a strategy', () => {
    const legal = new Map();
    expect(messages([of(1000), of(1000)], legal, limits, 'strategy')).toEqual([]);
    expect(messages([of(1), of(1001)], legal, limits, 'strategy')).toEqual([
      'The .constraints[1].values property should have at most 1000 items. You sent 1001.',
    ]);
  });

  it('limits the values of a segment over all its constraints', () => {
    const legal = new Map();
    expect(messages([of(500), of(500)], legal, limits, 'segment')).toEqual([]);
    expect(messages([of(500), of(501)], legal, limits, 'segment')).toEqual([
      expect.stringMatching(/at most 1000 items.*1001/),
    ]);
  });

  it('limits the number of constraints', () => {
    const many = Array.from({ length: 31 }, () => of(1));
    expect(messages(many, new Map(), limits, 'segment')).toEqual([
      expect.stringMatching(/\.constraints property .*30.*31/),
    ]);
  });

  it('names every constraint with a value that is not legal', () => {
    const legal = new Map([['version', ['a']]]);
    expect(messages([of(1), { ...of(1), values: ['a'] }, of(1)], legal, limits, 'segment')).toEqual([
      'The .constraints[0].values[0] property should be a legal value of the context field version. You sent "0".',
      expect.stringContaining('.constraints[2]'),
    ]);
  });
});

describe('constraintSchema', () => {
  it('names IN_CIDR with inverted for NOT_IN_CIDR', () => {
    const { error } = constraintSchema.safeParse({ contextName: 'ip', operator: 'NOT_IN_CIDR' });
    expect(error?.issues[0]?.message).toBe('should be IN_CIDR with `inverted`: SDKs do not know NOT_IN_CIDR');
  });
});
