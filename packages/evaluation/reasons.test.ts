import { describe, expect, it } from 'vitest';
import { compileFlags, type FlagDefinition, type StrategyDefinition } from './index.ts';

const now = Date.now();
const isUser = (...values: string[]) => ({ contextName: 'userId', operator: 'IN', values });
const segment = { id: 1, name: 'friends', constraints: [isUser('1', '2'), isUser('2', '3')] };

function reasonsOf(strategies: StrategyDefinition[], more: Partial<FlagDefinition> = {}) {
  const flags = compileFlags({ features: [{ name: 'one', enabled: true, strategies, ...more }], segments: [segment] });
  return flags.evaluateWithReasons('one', { userId: '1' }, now);
}

describe('evaluateWithReasons', () => {
  it('is null for an unknown flag', () => {
    expect(compileFlags({ features: [] }).evaluateWithReasons('one', {}, now)).toBeNull();
  });

  it('shows every constraint and segment, also those after the first that is false', () => {
    const constraints = [isUser('2'), isUser('1')];
    expect(reasonsOf([{ name: 'default', constraints, segments: [1, 2] }])).toMatchObject({
      evaluation: { enabled: false },
      result: false,
      strategies: [
        {
          result: { evaluationStatus: 'complete', enabled: false },
          constraints: [false, true],
          segments: [
            { definition: segment, result: false, constraints: [true, false] },
            { definition: null, result: false, constraints: [] },
          ],
        },
      ],
    });
  });

  it('shows every strategy, also those after the first that is on', () => {
    const reasons = reasonsOf([{ name: 'default' }, { name: 'userWithId', parameters: { userIds: '2' } }]);
    expect(reasons?.strategies.map(({ result }) => result.enabled)).toEqual([true, false]);
    expect(reasons).toMatchObject({ evaluation: { enabled: true }, result: true });
  });

  it('a strategy by host is unknown where the host is', () => {
    const strategy = { name: 'applicationHostname', parameters: { hostNames: 'here' } };
    expect(reasonsOf([strategy])).toMatchObject({
      ...{ evaluation: { enabled: false }, result: 'unknown' },
      strategies: [{ result: { evaluationStatus: 'incomplete' } }],
    });
    const features = [{ name: 'one', enabled: true, strategies: [strategy] }];
    const there = compileFlags({ features }, { hostname: 'there' });
    expect(there.evaluateWithReasons('one', {}, now)).toMatchObject({ result: false });
  });

  it('a strategy of an unknown type is unknown, or false if a constraint is', () => {
    expect(reasonsOf([{ name: 'own' }, { name: 'own', constraints: [isUser('2')] }])).toMatchObject({
      evaluation: { enabled: false },
      result: 'unknown',
      strategies: [
        { result: { evaluationStatus: 'incomplete', enabled: 'unknown' } },
        { result: { evaluationStatus: 'incomplete', enabled: false } },
      ],
    });
    expect(reasonsOf([{ name: 'own' }, { name: 'default' }])).toMatchObject({ result: true });
  });

  it('a disabled strategy is unknown, and SDKs evaluate the flag without it', () => {
    const off = { name: 'default', constraints: [isUser('2')] };
    const disabled = { ...off, disabled: true };
    expect(reasonsOf([disabled, off])).toMatchObject({
      evaluation: { enabled: false },
      result: 'unknown',
      strategies: [{ result: { evaluationStatus: 'unevaluated', enabled: 'unknown' }, constraints: [false] }, {}],
    });
    expect(reasonsOf([disabled, { name: 'default' }])).toMatchObject({ evaluation: { enabled: true }, result: true });
    expect(reasonsOf([disabled])).toMatchObject({ evaluation: { enabled: true }, result: 'unknown' });
  });

  it.each([true, false])('the result of no strategies is whether the flag is enabled: %s', (enabled) => {
    expect(reasonsOf([], { enabled })).toMatchObject({ evaluation: { enabled }, result: enabled });
  });

  it('shows the strategies of a flag that is disabled or whose parent is off', () => {
    const strategies = [{ name: 'default' }];
    expect(reasonsOf(strategies, { enabled: false })).toMatchObject({
      evaluation: { enabled: false },
      hasUnsatisfiedDependency: false,
      result: true,
    });
    expect(reasonsOf(strategies, { dependencies: [{ feature: 'missing' }] })).toMatchObject({
      evaluation: { enabled: false },
      hasUnsatisfiedDependency: true,
      result: true,
    });
  });

  it('shows the variant that each strategy would choose, and the variant of the flag', () => {
    const only = (name: string) => [{ name, weight: 1 }];
    const off = { name: 'default', constraints: [isUser('2')], variants: only('green') };
    const reasons = reasonsOf([off, { name: 'default', variants: only('red') }, { name: 'default' }], {
      variants: only('blue'),
    });
    expect(reasons).toMatchObject({
      evaluation: { variant: { name: 'red', enabled: true } },
      strategies: [
        { result: { enabled: false, variant: { name: 'green' } } },
        { result: { enabled: true, variant: { name: 'red' } } },
        { result: { evaluationStatus: 'complete', enabled: true } },
      ],
    });
    expect(reasons?.strategies[2]?.result).not.toHaveProperty('variant');
  });
});
