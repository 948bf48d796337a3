import type { ClientFeature } from '@yardarm/shared/contracts/flags';
import { describe, expect, it, test } from 'vitest';
import { CompiledFlags, compileFlags, cpuTimeMs, type FlagDefinition } from './index.ts';

const now = Date.now();
const norwegians = { id: 1, constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }] };
const inNorway = { properties: { country: 'NO' } };

function flag(name: string, more: Partial<FlagDefinition> = {}): FlagDefinition {
  return { name, enabled: true, strategies: [{ name: 'default' }], ...more };
}

const segmented = (name: string, ...segments: number[]) => flag(name, { strategies: [{ name: 'default', segments }] });

test('flags of a source are compiled when they are first evaluated, with their parents, and again after a deletion', () => {
  const source = new Map(
    [flag('parent'), flag('child', { dependencies: [{ feature: 'parent' }] })].map((one) => [one.name, one]),
  );
  const asked: string[] = [];
  const flags = compileFlags({
    features: [],
    definitionOf(name) {
      asked.push(name);
      return source.get(name);
    },
  });
  const isOn = (name: string) => flags.evaluate(name, {}, now).enabled;
  expect([isOn('child'), isOn('child'), isOn('parent')]).toEqual([true, true, true]);
  expect(asked).toEqual(['child', 'parent']);
  source.delete('parent');
  flags.deleteFlag('parent');
  expect([isOn('child'), isOn('parent')]).toEqual([false, false]);
  expect(asked).toEqual(['child', 'parent', 'parent', 'parent']);
});

describe('evaluate', () => {
  it.each(['unknown', '__proto__', 'constructor', ''])('a flag %j that does not exist is off', (name) => {
    const variant = { name: 'disabled', enabled: false, feature_enabled: false, featureEnabled: false };
    expect(compileFlags({ features: [] }).evaluate(name, {}, now)).toEqual({ enabled: false, variant });
  });

  it.each(['__proto__', 'constructor'])('a flag may have the name %s', (name) => {
    const features = [flag(name), flag('child', { dependencies: [{ feature: name }] })];
    const flags = compileFlags({ features });
    expect(flags.evaluate(name, {}, now).enabled).toBe(true);
    expect(flags.evaluate('child', {}, now).enabled).toBe(true);
  });

  it('takes the flags of the client API', () => {
    const feature: ClientFeature = {
      ...{ name: 'one', type: 'release', description: null, enabled: true, stale: false, impressionData: false },
      ...{ project: 'default', strategies: [], variants: [], dependencies: [] },
    };
    expect(compileFlags({ features: [feature] }).evaluate('one', {}, now).enabled).toBe(true);
  });

  it('a strategy of an unknown type is off, and the next one decides', () => {
    const strategies = [{ name: 'ownStrategy' }, { name: 'constructor' }];
    const flags = compileFlags({
      features: [flag('one', { strategies }), flag('two', { strategies: [...strategies, { name: 'default' }] })],
    });
    expect(flags.evaluate('one', {}, now).enabled).toBe(false);
    expect(flags.evaluate('two', {}, now).enabled).toBe(true);
  });

  it('returns the same objects for every context', () => {
    const variants = [{ name: 'red', weight: 1 }];
    const flags = compileFlags({ features: [flag('one', { variants })] });
    expect(flags.evaluate('one', { userId: '1' }, now)).toBe(flags.evaluate('one', { userId: '2' }, now));
  });

  it('parents that are each other’s parents are off', () => {
    const features = [
      flag('one', { dependencies: [{ feature: 'two' }] }),
      flag('two', { dependencies: [{ feature: 'one' }] }),
    ];
    expect(compileFlags({ features }).evaluate('one', {}, now).enabled).toBe(false);
  });

  it('applicationHostname is on at the given host only', () => {
    const strategies = [{ name: 'applicationHostname', parameters: { hostNames: 'one, TWO' } }];
    const isOnAt = (hostname?: string) =>
      compileFlags({ features: [flag('one', { strategies })] }, { hostname }).evaluate('one', {}, now).enabled;
    expect([isOnAt('one'), isOnAt('two'), isOnAt('three'), isOnAt('')]).toEqual([true, true, false, false]);
  });

  it.each([
    [{ userId: '7' }, true],
    [{ userId: 7 }, false],
  ])('an id is one of a list as in the Node SDK: %j', (context, isOn) => {
    const strategies = [{ name: 'userWithId', parameters: { userIds: '6,7' } }];
    expect(compileFlags({ features: [flag('one', { strategies })] }).evaluate('one', context, now).enabled).toBe(isOn);
  });

  it('a list is split as in the Node SDK, in time linear in its blanks', () => {
    const isOn = (userIds: string, userId: string) => {
      const strategies = [{ name: 'userWithId', parameters: { userIds } }];
      return compileFlags({ features: [flag('one', { strategies })] }).evaluate('one', { userId }, now).enabled;
    };
    for (const text of [' a ,\tb, c ', 'a,,b', ',', ' ', 'a b']) {
      const items = text.split(/\s*,\s*/);
      for (const item of [...items, 'a', ' ', 'c'])
        expect([text, item, isOn(text, item)]).toEqual([text, item, items.includes(item)]);
    }
    const before = cpuTimeMs();
    expect(isOn(`x${' '.repeat(400_000)}x`, 'x')).toBe(false);
    expect(cpuTimeMs() - before).toBeLessThan(500);
  });

  it.each([{ userId: {} }, { userId: ['7'] }, { userId: null }, {}])(
    'an id that is none is in no rollout: %j',
    (context) => {
      const ofUsers = { percentage: '100', rollout: '100', stickiness: 'userId', userIds: '7,[object Object]' };
      for (const name of ['userWithId', 'gradualRolloutUserId', 'flexibleRollout']) {
        const flags = compileFlags({ features: [flag('one', { strategies: [{ name, parameters: ofUsers }] })] });
        expect(flags.evaluate('one', context, now).enabled).toBe(false);
      }
    },
  );
});

describe('a change', () => {
  it('of a segment reaches the strategies that refer to it, whichever came first', () => {
    const flags = new CompiledFlags();
    flags.setFlag(segmented('one', 1));
    const isOn = () => flags.evaluate('one', inNorway, now).enabled;
    expect(isOn()).toBe(false);
    flags.setSegment(norwegians);
    expect(isOn()).toBe(true);
    flags.setSegment({ id: 1, constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }] });
    expect(isOn()).toBe(false);
    flags.setSegment({ id: 1, constraints: [] });
    expect(isOn()).toBe(true);
    flags.deleteSegment(1);
    expect(isOn()).toBe(false);
  });

  it('of a flag replaces it and reaches its children', () => {
    const flags = compileFlags({
      features: [flag('parent'), flag('child', { dependencies: [{ feature: 'parent' }] })],
    });
    const isOn = () => flags.evaluate('child', {}, now).enabled;
    expect(isOn()).toBe(true);
    flags.setFlag(flag('parent', { enabled: false }));
    expect(isOn()).toBe(false);
    flags.setFlag(flag('parent'));
    expect(isOn()).toBe(true);
    flags.deleteFlag('parent');
    expect(isOn()).toBe(false);
  });

  it('of one flag leaves the results of another', () => {
    const flags = compileFlags({ features: [segmented('one', 1), segmented('two', 2)], segments: [norwegians] });
    flags.setSegment({ id: 2, constraints: [] });
    expect(flags.evaluate('one', {}, now).enabled).toBe(false);
    expect(flags.evaluate('two', {}, now).enabled).toBe(true);
  });
});

test('a share of random ids as large as the rollout is on', () => {
  const strategies = [{ name: 'flexibleRollout', parameters: { rollout: '30', stickiness: 'random', groupId: 'one' } }];
  const flags = compileFlags({ features: [flag('one', { strategies })] });
  const on = Array.from({ length: 20_000 }, () => flags.evaluate('one', {}, now)).filter(({ enabled }) => enabled);
  // Within 0.05, which is more than ten standard deviations.
  expect(on.length / 20_000).toBeCloseTo(0.3, 1);
});
