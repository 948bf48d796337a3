import { type NewStrategy, newStrategySchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { describe, expect, it } from 'vitest';
import { limits } from '../testing/limits.ts';
import { checkedStrategy, checkLimits, maxStrategyBytes, nextSortOrder } from './strategy.ts';

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
      /^The \.name property should be one of default, .*"flexibleRolout"\.$/,
    ],
    ['a name that every object has', { name: 'toString' }, /\.name/],
    ['a segment', { name: 'default', segments: [5] }, 'The .segments[0] property names no segment. You sent 5.'],
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
  });
});

describe('nextSortOrder', () => {
  it('is above all others, 0 for the first, and never beyond the column', () => {
    expect(nextSortOrder([])).toBe(0);
    expect(nextSortOrder([{ sortOrder: 5 }, { sortOrder: 2 }])).toBe(6);
    expect(nextSortOrder([{ sortOrder: 2_147_483_647 }])).toBe(2_147_483_647);
  });
});
