import { constraintOperators } from '@yardarm/shared/contracts/flags';
import { describe, expect, it } from 'vitest';
import { noBudget } from './budget.ts';
import { compileConstraint } from './constraint.ts';
import type { Context } from './context.ts';
import type { ConstraintDefinition } from './definitions.ts';

const now = Date.parse('2026-06-01T12:00:00Z');

function isSatisfied(definition: Partial<ConstraintDefinition>, context: Context): boolean {
  return compileConstraint({ contextName: 'field', operator: 'IN', ...definition })(context, now, noBudget);
}

describe('operators', () => {
  const accepted: Record<string, Partial<ConstraintDefinition>> = {
    IN: { values: ['7.0.0'] },
    NOT_IN: { values: ['8.0.0'] },
    STR_STARTS_WITH: { values: ['7.'] },
    STR_ENDS_WITH: { values: ['.0'] },
    STR_CONTAINS: { values: ['.0.'] },
    NUM_EQ: { value: '7' },
    NUM_GT: { value: '6.5' },
    NUM_GTE: { value: '7' },
    NUM_LT: { value: '8' },
    NUM_LTE: { value: '7' },
    DATE_AFTER: { value: '2026-06-01T11:59:59Z' },
    DATE_BEFORE: { value: '2026-06-01T12:00:01Z' },
    SEMVER_EQ: { value: '7.0.0' },
    SEMVER_GT: { value: '7.0.0-beta' },
    SEMVER_GTE: { value: '7.0.0' },
    SEMVER_LT: { value: '7.0.1' },
    SEMVER_LTE: { value: '7.0.0' },
    REGEX: { value: '^7' },
    IN_CIDR: { values: ['7.0.0.0/8'] },
  };
  const contexts: [string, Context][] = [
    ['NUM_', { field: '7' }],
    ['IN_CIDR', { field: '7.1.2.3' }],
    ['', { field: '7.0.0' }],
  ];

  it.each(constraintOperators)('%s of the admin API is true where it should be, and false inverted', (operator) => {
    const context = contexts.find(([prefix]) => operator.startsWith(prefix))![1];
    const definition = { operator, ...accepted[operator] };
    expect(isSatisfied(definition, context)).toBe(true);
    expect(isSatisfied({ ...definition, inverted: true }, context)).toBe(false);
  });

  it.each(['NOT_IN_CIDR', 'in', '', 'constructor', '__proto__'])(
    '%j is unknown and false, also inverted',
    (operator) => {
      for (const inverted of [false, true]) {
        expect(isSatisfied({ operator, inverted, values: ['a'], value: 'a' }, { field: 'a' })).toBe(false);
      }
    },
  );

  it.each([
    ['NUM_EQ', { value: 'seven' }],
    ['SEMVER_EQ', { value: '7' }],
    ['REGEX', { value: '(' }],
    ['DATE_AFTER', { value: 'yesterday' }],
    ['IN_CIDR', { values: ['localhost'] }],
    ['IN', {}],
    ['REGEX', {}],
    ['SEMVER_GT', {}],
  ])('%s with the operand %j is false, and true inverted', (operator, operand) => {
    expect(isSatisfied({ operator, ...operand }, { field: '7' })).toBe(false);
    expect(isSatisfied({ operator, ...operand, inverted: true }, { field: '7' })).toBe(true);
  });

  it('an empty list contains nothing', () => {
    expect(isSatisfied({ operator: 'IN', values: [] }, { field: '' })).toBe(false);
    expect(isSatisfied({ operator: 'NOT_IN', values: [] }, {})).toBe(true);
  });

  it('compares with 100,000 values', () => {
    const values = Array.from({ length: 100_000 }, (_, index) => `user-${index}`);
    expect(isSatisfied({ values }, { field: 'user-99999' })).toBe(true);
    expect(isSatisfied({ values }, { field: 'user-100000' })).toBe(false);
    expect(isSatisfied({ operator: 'STR_STARTS_WITH', values }, { field: 'user-x' })).toBe(false);
  });

  it('a pattern that takes other engines exponential time takes linear time', () => {
    const text = `${'a'.repeat(100_000)}!`;
    expect(isSatisfied({ operator: 'REGEX', value: '^(a+)+$' }, { field: text })).toBe(false);
    expect(isSatisfied({ operator: 'REGEX', value: '^(a|aa)+$' }, { field: text })).toBe(false);
  });

  it('finds an IPv6 address with a zone in its network', () => {
    const definition = { operator: 'IN_CIDR', values: ['fe80::/10'] };
    expect(isSatisfied(definition, { field: 'fe80::1%eth0' })).toBe(true);
  });
});

describe('fields', () => {
  it('are at the top or in properties, and the top has precedence', () => {
    const definition = { values: ['a'] };
    expect(isSatisfied(definition, { field: 'a', properties: { field: 'b' } })).toBe(true);
    expect(isSatisfied(definition, { field: 'b', properties: { field: 'a' } })).toBe(false);
    expect(isSatisfied(definition, { field: '', properties: { field: 'a' } })).toBe(false);
    expect(isSatisfied(definition, { field: null, properties: { field: 'a' } })).toBe(true);
    expect(isSatisfied(definition, { properties: { field: 'a' } })).toBe(true);
  });

  it('that are numbers and booleans count as their text', () => {
    expect(isSatisfied({ values: ['7'] }, { field: 7 })).toBe(true);
    expect(isSatisfied({ values: ['true'] }, { properties: { field: true } })).toBe(true);
  });

  const deep = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`);
  it.each([
    ['an object', {}],
    ['an object without a text', JSON.parse('{"toString":1,"valueOf":1}')],
    ['a list', ['a']],
    ['a list nested 1,000 deep', deep],
    ['null', null],
  ])('that are %s count as absent', (_, field) => {
    for (const context of [{ field }, { properties: { field } }, { properties: field }] as Context[]) {
      for (const operator of constraintOperators.filter((name) => name !== 'NOT_IN' && !name.startsWith('DATE_'))) {
        expect(isSatisfied({ operator, values: ['a', ''], value: '0' }, context)).toBe(false);
      }
      expect(isSatisfied({ operator: 'NOT_IN', values: ['a', ''] }, context)).toBe(true);
    }
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s is read if it was sent',
    (name) => {
      const definition = { contextName: name, operator: 'REGEX', value: '' };
      expect(isSatisfied(definition, {})).toBe(false);
      expect(isSatisfied(definition, { properties: {} })).toBe(false);
      expect(isSatisfied(definition, JSON.parse(`{"${name}":"a"}`))).toBe(true);
      expect(isSatisfied(definition, JSON.parse(`{"properties":{"${name}":"a"}}`))).toBe(true);
    },
  );

  it('may have the name properties', () => {
    const definition = { contextName: 'properties', values: ['a'] };
    expect(isSatisfied(definition, { properties: { properties: 'a' } })).toBe(true);
    expect(isSatisfied(definition, { properties: { field: 'a' } })).toBe(false);
  });

  it('properties that are no object count as absent', () => {
    expect(isSatisfied({ contextName: 'length', operator: 'NUM_GTE', value: '0' }, { properties: 'text' })).toBe(false);
  });
});

describe('the time', () => {
  const after = { operator: 'DATE_AFTER', value: '2026-06-01T12:00:00Z' };

  it.each(['2026-06-01T12:00:01Z', new Date('2026-06-01T12:00:01Z'), Date.parse('2026-06-01T12:00:01Z')])(
    'is currentTime if it is %o',
    (currentTime) => expect(isSatisfied(after, { currentTime })).toBe(true),
  );

  it('is the time of the caller without currentTime', () => {
    expect(compileConstraint({ contextName: 'currentTime', ...after })({}, now, noBudget)).toBe(false);
    expect(compileConstraint({ contextName: 'currentTime', ...after })({}, now + 1, noBudget)).toBe(true);
  });

  it.each(['later', {}, ['2027-01-01'], '+999999-01-01', Number.POSITIVE_INFINITY, new Date(Number.NaN)])(
    'that is %o is neither before nor after another',
    (currentTime) => {
      expect(isSatisfied({ ...after, operator: 'DATE_BEFORE' }, { currentTime })).toBe(false);
      if (currentTime !== Number.POSITIVE_INFINITY) expect(isSatisfied(after, { currentTime })).toBe(false);
    },
  );
});
