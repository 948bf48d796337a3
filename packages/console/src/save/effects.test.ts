import { describe, expect, it } from 'vitest';
import type { FlagEnvironment } from './after.ts';
import type { Strategy } from './change.ts';
import { answerInWords, effectsInWords, effectsOnceOn, whyInWords } from './effect-words.ts';
import { compare, effectsOf, type World } from './effects.ts';
import { sampleContexts, sampleCount, valuesOfFields } from './samples.ts';

const now = Date.parse('2026-11-26T12:00:00Z');

const rollout = (percent: number, change: Partial<Strategy> = {}) => ({
  ...{ name: 'flexibleRollout', constraints: [], segments: [], variants: [], title: null, disabled: false },
  parameters: { rollout: String(percent), stickiness: 'default', groupId: 'checkout' },
  ...change,
});
const country = {
  ...{ contextName: 'country', operator: 'IN' as const, values: ['NO'], inverted: false, caseInsensitive: false },
};
const world = (...strategies: ReturnType<typeof rollout>[]): World => ({
  flag: { name: 'checkout', enabled: true, strategies },
  ...{
    parents: [],
    segments: [{ id: 1, name: 'beta', constraints: [{ ...country, contextName: 'plan', values: ['gold'] }] }],
  },
});
const withPayload = (value: string) => ({
  ...{ name: 'a', weight: 1000, weightType: 'variable' as const, stickiness: 'default' },
  payload: { type: 'string' as const, value },
});
const off: World = { ...world(rollout(100)), flag: { name: 'checkout', enabled: false, strategies: [] } };

describe('effectsOf', () => {
  it('keeps those who have it when a rollout grows', () => {
    const { onBefore, onAfter, gain, lose } = effectsOf(world(rollout(25)), world(rollout(50)), now);
    expect(lose).toBe(0);
    expect(gain).toBe(onAfter - onBefore);
    expect(onBefore / sampleCount).toBeCloseTo(0.25, 1);
    expect(onAfter / sampleCount).toBeCloseTo(0.5, 1);
  });

  it('draws the same random numbers before and after', () => {
    const random = rollout(50, { parameters: { rollout: '50', stickiness: 'random', groupId: '' } });
    expect(effectsOf(world(random), world(random), now)).toMatchObject({ gain: 0, lose: 0 });
  });

  it('counts who gets another variant', () => {
    const variants = (first: number) => [
      { name: 'a', weight: first, weightType: 'fix' as const, stickiness: 'default' },
      { name: 'b', weight: 1000 - first, weightType: 'fix' as const, stickiness: 'default' },
    ];
    const effects = effectsOf(
      world(rollout(100, { variants: variants(500) })),
      world(rollout(100, { variants: variants(700) })),
      now,
    );
    expect(effects).toMatchObject({ gain: 0, lose: 0 });
    expect(effects.otherVariant / sampleCount).toBeCloseTo(0.2, 1);
  });

  it('counts who gets another payload of the same variant', () => {
    const [one, two] = ['1', '2'].map((value) => world(rollout(50, { variants: [withPayload(value)] })));
    const { onAfter, ...effects } = effectsOf(one!, two!, now);
    expect(onAfter).toBeGreaterThan(400);
    expect(effects).toMatchObject({ gain: 0, lose: 0, otherVariant: 0, otherPayload: onAfter });
    expect(effectsOf(one!, one!, now).otherPayload).toBe(0);
  });

  it('has users with and without the values of constraints and segments', () => {
    const { onAfter } = effectsOf(off, world(rollout(100, { constraints: [country], segments: [1] })), now);
    expect(onAfter / sampleCount).toBeGreaterThan(0.15);
    expect(onAfter / sampleCount).toBeLessThan(0.35);
  });

  it('tries both sides of numbers, versions, dates and networks', () => {
    for (const [operator, value, values] of [
      ['NUM_GT', '5', []],
      ['SEMVER_LT', '2.0.0', []],
      ['DATE_AFTER', '2026-12-24T00:00:00Z', []],
      ['IN_CIDR', undefined, ['10.0.0.0/8']],
      ['REGEX', 'abc', []],
    ] as const) {
      const contextName = operator === 'DATE_AFTER' ? 'currentTime' : 'field';
      const constraint = { ...country, contextName, operator, values: [...values], ...(value && { value }) };
      const { onAfter } = effectsOf(off, world(rollout(100, { constraints: [constraint] })), now);
      expect(onAfter, operator).toBeGreaterThan(50);
      expect(onAfter, operator).toBeLessThan(950);
    }
  });
});

it('sampleContexts are the same for the same fields', () => {
  const fields = valuesOfFields([rollout(10, { constraints: [country] })], []);
  expect(sampleContexts(fields)).toEqual(sampleContexts(fields));
  expect(new Set(sampleContexts(fields).map(({ userId }) => userId)).size).toBeGreaterThan(990);
});

describe('words', () => {
  it('say what a change means for a flag that is off, once it is on', () => {
    const none = { total: 1000, onBefore: 250, onAfter: 250, gain: 0, lose: 0, otherVariant: 0, otherPayload: 0 };
    expect(effectsOnceOn(none, { getsDefault: false })).toEqual([
      'Once it is on, 25% of 1,000 sample users have it, with or without this change.',
    ]);
    expect(
      effectsOnceOn({ ...none, onAfter: 600, gain: 400, lose: 50, otherVariant: 1 }, { getsDefault: false }),
    ).toEqual([
      'Once it is on, 60% of 1,000 sample users have it. Without this change it would be 25%: 400 more, 50 fewer, one with another variant.',
    ]);
    expect(effectsOnceOn({ ...none, otherPayload: 250 }, { getsDefault: false })).toEqual([
      'Once it is on, 25% of 1,000 sample users have it. Without this change it would be 25%: 250 with another payload.',
    ]);
  });

  it('say that a flag without a strategy would get the default one', () => {
    const effects = { total: 1000, onBefore: 1000, onAfter: 250, gain: 0, lose: 750, otherVariant: 0, otherPayload: 0 };
    expect(effectsOnceOn(effects, { getsDefault: true })).toEqual([
      'Once it is on, 25% of 1,000 sample users have it. Without this change it would get the default strategy, which is on for 100%: 750 fewer.',
    ]);
  });

  it('say of a flag that is off what its answer is once it is on', () => {
    const one = compare(world(rollout(100)), off, {}, now);
    expect(answerInWords(one, null)).toBe('The answer changes.');
    expect(answerInWords(one, { getsDefault: false })).toBe('Once the flag is on, the answer changes.');
    const same = compare(off, off, {}, now);
    expect(answerInWords(same, { getsDefault: true })).toBe('Once the flag is on, the answer stays the same.');
    const [first, second] = ['1', '2'].map((value) => world(rollout(100, { variants: [withPayload(value)] })));
    expect(answerInWords(compare(first!, second!, {}, now), null)).toBe('The payload changes.');
  });

  it('say who gains and loses', () => {
    const none = { total: 1000, onBefore: 250, onAfter: 250, gain: 0, lose: 0, otherVariant: 0, otherPayload: 0 };
    expect(effectsInWords(none)).toEqual(['Nothing changes for 1,000 sample users. It is on for 25% of them.']);
    expect(effectsInWords({ ...none, onAfter: 500, gain: 250 })[1]).toBe('250 gain it, nobody loses it.');
    expect(effectsInWords({ ...none, onAfter: 0, lose: 250, otherVariant: 1 })[1]).toBe(
      'Nobody gains it, 250 lose it, one gets another variant.',
    );
    expect(effectsInWords({ ...none, otherPayload: 250 })[1]).toBe(
      'Nobody gains it, nobody loses it, 250 get another payload.',
    );
  });

  it('say why a context gets its answer', () => {
    const strategies = [rollout(100, { constraints: [country] })];
    const flag = { name: 'production', enabled: true, strategies } as unknown as FlagEnvironment;
    const { before, after } = compare(off, world(...strategies), { properties: { country: 'SE' } }, now);
    expect(whyInWords(before, { ...flag, enabled: false }, new Map())).toEqual([
      'Off, because the flag is off in production.',
    ]);
    expect(whyInWords(after, flag, new Map())).toEqual([
      'Off.',
      '“everybody where country is NO” does not match: it is not true that country is NO.',
    ]);
  });
});
