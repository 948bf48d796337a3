import { type NewStrategy, newStrategySchema, type StrategyTypeParameter } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../testing/limits.ts';
import { type Definitions, noDefinitions } from './definitions.ts';
import { checkedStrategy, checkedWithoutDefaults, checkLimits, maxStrategyBytes, nextSortOrder } from './strategy.ts';

const sent = (strategy: Record<string, unknown>): NewStrategy => newStrategySchema.parse(strategy);
const inList = { contextName: 'userId', operator: 'IN', values: ['1'] };
const variant = { name: 'a', weight: 0, weightType: 'variable', stickiness: 'default' };

describe('checkedStrategy', () => {
  it('adds the missing parameters of a flexibleRollout, the flag as its group', () => {
    const parameters = { rollout: '100', stickiness: 'default', groupId: 'checkout' };
    expect(checkedStrategy(sent({ name: 'flexibleRollout' }), 'checkout', limits).parameters).toEqual(parameters);
    expect(
      checkedStrategy(sent({ name: 'flexibleRollout', parameters: { rollout: 25, groupId: '' } }), 'checkout', limits)
        .parameters,
    ).toEqual({ ...parameters, rollout: '25' });
  });

  it('leaves the parameters of other strategies as they were sent', () => {
    const parameters = { userIds: '1,2', IPs: '' };
    expect(checkedStrategy(sent({ name: 'userWithId', parameters }), 'checkout', limits).parameters).toEqual(
      parameters,
    );
    expect(checkedStrategy(sent({ name: 'default' }), 'checkout', limits).parameters).toEqual({});
  });

  it('reads null as not disabled', () => {
    expect(checkedStrategy(sent({ name: 'default', disabled: null }), 'checkout', limits).disabled).toBe(false);
  });

  it('gives the variants weights that sum to 1000', () => {
    const { variants } = checkedStrategy(
      sent({ name: 'flexibleRollout', variants: [variant, { ...variant, name: 'b' }] }),
      'checkout',
      limits,
    );
    expect(variants.map(({ weight }) => weight)).toEqual([500, 500]);
  });

  it.each<[string, Record<string, unknown>, string | RegExp]>([
    [
      'an unknown strategy',
      { name: 'flexibleRolout' },
      /^The \.name property should be one of flexibleRollout, .*"flexibleRolout"\.$/,
    ],
    ['a name that every object has', { name: 'toString' }, /\.name/],
    [
      'a segment',
      { name: 'default', segments: [5] },
      'The .segments[0] property names no segment that the project may use. You sent 5.',
    ],
    ['a long title', { name: 'default', title: 'x'.repeat(256) }, /\.title property should have at most 255/],
    ['a sort order below zero', { name: 'default', sortOrder: -1 }, /\.sortOrder.*-1/],
    ['a sort order beyond the column', { name: 'default', sortOrder: 2 ** 31 }, /\.sortOrder.*2147483648/],
    [
      'a rollout of words',
      { name: 'flexibleRollout', parameters: { rollout: 'half' } },
      'The .parameters.rollout property should be a number from 0 to 100. You sent "half".',
    ],
    ['a rollout above 100', { name: 'flexibleRollout', parameters: { rollout: '101' } }, /\.rollout.*"101"/],
    ['a percentage below 0', { name: 'gradualRolloutRandom', parameters: { percentage: '-1' } }, /\.percentage.*"-1"/],
    [
      'a constraint that cannot be compared',
      { name: 'default', constraints: [inList, { contextName: 'age', operator: 'NUM_GT', value: 'old' }] },
      'The .constraints[1].value property should be a number. You sent "old".',
    ],
    [
      'more constraints than 30',
      { name: 'default', constraints: Array.from({ length: 31 }, () => inList) },
      /\.constraints property should have at most 30 items\. You sent 31/,
    ],
    [
      'more values than 1000',
      { name: 'default', constraints: [{ ...inList, values: Array.from({ length: 1001 }, String) }] },
      /\.constraints\[0\]\.values property should have at most 1000/,
    ],
    [
      'variants of one name',
      { name: 'default', variants: [variant, variant] },
      'The .variants[1].name property should be unique among the variants. You sent "a".',
    ],
    [
      'fixed weights above 1000',
      {
        name: 'default',
        variants: [
          { ...variant, weight: 600, weightType: 'fix' },
          { ...variant, name: 'b', weight: 600, weightType: 'fix' },
        ],
      },
      /\.variants property should have weights that can sum to 1000.*600/,
    ],
    [
      'a payload that is no JSON',
      { name: 'default', variants: [{ ...variant, payload: { type: 'json', value: '{' } }] },
      'The .variants[0].payload.value property should be JSON. You sent "{".',
    ],
    [
      'a payload that is no number',
      { name: 'default', variants: [{ ...variant, payload: { type: 'number', value: '' } }] },
      /payload\.value property should be a number/,
    ],
  ])('refuses %s, naming property and value', (_, strategy, message) => {
    const check = () => checkedStrategy(sent(strategy), 'checkout', limits);
    expect(check).toThrow(AppError);
    expect(check).toThrow(message);
  });
});

describe('definitions', () => {
  const parameters: StrategyTypeParameter[] = [
    { name: 'must', type: 'string', required: true },
    { name: 'percentage', type: 'percentage' },
    { name: 'number', type: 'number' },
    { name: 'boolean', type: 'boolean' },
    { name: 'list', type: 'list', required: false },
  ];
  const definitions: Definitions = {
    legalValues: new Map([['userId', ['1', '2']]]),
    types: new Map([['custom', parameters]]),
    segments: new Set([1, 2, 3, 4, 5, 6]),
  };
  const check = (strategy: Record<string, unknown>) => checkedStrategy(sent(strategy), 'checkout', limits, definitions);

  it.each([
    { must: 'x' },
    { must: 'x', percentage: '12.5', number: '-1e3', boolean: 'false', list: 'a,b' },
    { must: 'x', percentage: '', number: '', boolean: '', list: '' },
    { must: 'x', other: 'y' },
  ])('a custom type accepts %j', (sentParameters) => {
    expect(check({ name: 'custom', parameters: sentParameters }).parameters).toEqual(sentParameters);
  });

  it.each([
    [{}, 'The .parameters.must property is required by the strategy type custom. You sent undefined.'],
    [{ must: '' }, 'The .parameters.must property is required by the strategy type custom. You sent "".'],
    [{ must: 'x', percentage: '101' }, /\.parameters\.percentage property should be a number from 0 to 100.*"101"/],
    [{ must: 'x', number: 'many' }, /\.parameters\.number property should be a number.*"many"/],
    [{ must: 'x', boolean: '1' }, /\.parameters\.boolean property should be true or false.*"1"/],
  ])('a custom type refuses %j', (sentParameters, message) => {
    expect(() => check({ name: 'custom', parameters: sentParameters })).toThrow(message);
  });

  it('a strategy has each segment once, by id, and at most five', () => {
    expect(check({ name: 'default', segments: [5, 1, 5, 1] }).segments).toEqual([1, 5]);
    const message = 'The .segments property should have at most 5 items. You sent 6.';
    expect(() => check({ name: 'default', segments: [1, 2, 3, 4, 5, 6] })).toThrow(message);
    expect(() => check({ name: 'default', segments: [1, 7] })).toThrow(/\.segments\[1\].*7/);
  });

  it('a value that is not legal is refused', () => {
    expect(() => check({ name: 'default', constraints: [{ ...inList, values: ['1', '3'] }] })).toThrow(
      'The .constraints[0].values[1] property should be a legal value of the context field userId. You sent "3".',
    );
  });
});

describe('checkedWithoutDefaults', () => {
  it('adds no defaults', () => {
    expect(checkedWithoutDefaults(sent({ name: 'flexibleRollout' }), limits, noDefinitions).parameters).toEqual({});
  });

  it('gives the variants weights that sum to 1000 if their fixed weights allow it, else it refuses them', () => {
    const variants = fc.uniqueArray(
      fc.record({
        name: fc.string({ minLength: 1, maxLength: 5 }),
        weight: fc.integer({ min: 0, max: 1000 }),
        weightType: fc.constantFrom('fix', 'variable'),
        stickiness: fc.constant('default'),
      }),
      { selector: ({ name }) => name, minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(variants, (list) => {
        const fixed = list.filter(({ weightType }) => weightType === 'fix');
        const sum = fixed.reduce((total, { weight }) => total + weight, 0);
        const change = () =>
          checkedWithoutDefaults(sent({ name: 'default', variants: list }), limits, noDefinitions).variants;
        if (sum > 1000 || (sum < 1000 && fixed.length === list.length)) {
          expect(change).toThrow(/sum to 1000/);
        } else expect(change().reduce((total, { weight }) => total + weight, 0)).toBe(1000);
      }),
    );
  });
});

describe('checkLimits', () => {
  const strategy = checkedStrategy(sent({ name: 'default' }), 'checkout', limits);
  const others = (count: number, environment: string, bytes = 0) =>
    Array.from({ length: count }, () => ({ environment, bytes }));

  it('accepts the thirtieth strategy of an environment and refuses one more', () => {
    expect(() =>
      checkLimits(strategy, 'production', others(limits.strategies - 1, 'production'), limits),
    ).not.toThrow();
    expect(() => checkLimits(strategy, 'production', others(limits.strategies, 'production'), limits)).toThrow(
      /at most 30 strategies/,
    );
  });

  it('counts each environment separately', () => {
    expect(() => checkLimits(strategy, 'production', others(limits.strategies, 'development'), limits)).not.toThrow();
  });

  it('refuses a strategy that makes the flag too large for a message, over all environments', () => {
    const size = '{}[][]'.length;
    expect(() =>
      checkLimits(strategy, 'production', others(1, 'development', maxStrategyBytes - size), limits),
    ).not.toThrow();
    expect(() =>
      checkLimits(strategy, 'production', others(1, 'development', maxStrategyBytes - size + 1), limits),
    ).toThrow(/at most 500000 bytes/);
    expect(() => checkLimits(strategy, 'production', [], limits, maxStrategyBytes - size + 1)).toThrow(
      /at most 500000 bytes/,
    );
  });
});

describe('nextSortOrder', () => {
  it('is above all others, 0 for the first, and never beyond the column', () => {
    expect(nextSortOrder([])).toBe(0);
    expect(nextSortOrder([{ sortOrder: 5 }, { sortOrder: 2 }])).toBe(6);
    expect(nextSortOrder([{ sortOrder: 2_147_483_647 }])).toBe(2_147_483_647);
  });
});
