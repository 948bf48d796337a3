// Proves that every constraint, strategy and variant takes its steps from the budget, with the longest texts and the
// largest configurations that callers and administrators can send.
import { describe, expect, it } from 'vitest';
import type { Budget } from './budget.ts';
import { compileFlags } from './compiled-flags.ts';
import type { Context } from './context.ts';
import type { ConstraintDefinition, StrategyDefinition } from './definitions.ts';

const maxContextText = 10_000;
const list = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, index) => item(index));
const longText = (part: string) => part.repeat(Math.ceil(maxContextText / part.length)).slice(0, maxContextText);

/** As many as a strategy may have. The last one is false, so that each of the strategies is evaluated. */
const constraints = (constraint: Omit<ConstraintDefinition, 'contextName'>): StrategyDefinition => ({
  name: 'default',
  constraints: [
    ...list(29, () => ({ contextName: 'userId', inverted: true, ...constraint })),
    { contextName: 'none', operator: 'IN', values: [] },
  ],
});

class Counter implements Budget {
  steps = 0;

  spend(steps: number): void {
    this.steps += steps;
  }

  compute(_steps: number, _constraint: unknown, result: () => boolean): boolean {
    return result();
  }
}

/** A flag with as many strategies as it may have; with one that is large, with one. It is evaluated three times. */
function stepsOf(strategy: StrategyDefinition, context: Context) {
  const isLarge = JSON.stringify(strategy).length > 100_000;
  const strategies = list(isLarge ? 1 : 30, () => strategy);
  const flags = compileFlags({ features: [{ name: 'flag', enabled: true, strategies }] });
  const budget = new Counter();
  for (let n = 0; n < 3; n += 1) flags.evaluate('flag', context, 0, budget);
  return budget.steps;
}

describe('the steps of an evaluation', () => {
  it.each<[string, StrategyDefinition, Context]>([
    ['numbers', constraints({ operator: 'NUM_EQ', value: '5' }), { userId: longText('1') }],
    ['hexadecimal numbers', constraints({ operator: 'NUM_EQ', value: '5' }), { userId: `0x${longText('1f')}` }],
    ['texts that are no versions', constraints({ operator: 'SEMVER_EQ', value: '1.2.3' }), { userId: longText('1.') }],
    [
      'long versions',
      constraints({ operator: 'SEMVER_EQ', value: `1.2.3-${'a.'.repeat(120)}a` }),
      { userId: `1.2.3-${'a.'.repeat(124)}a` },
    ],
    [
      'dates',
      constraints({ operator: 'DATE_AFTER', value: '2020-01-01T00:00:00Z' }),
      { currentTime: longText('jan (x) ') },
    ],
    ['zones of addresses', constraints({ operator: 'IN_CIDR', values: ['10.0.0.0/8'] }), { userId: longText('%') }],
    [
      'networks',
      constraints({ operator: 'IN_CIDR', values: list(1_000, (n) => `2001:db8::${n.toString(16)}/128`) }),
      { userId: '2001:db8::ffff' },
    ],
    [
      'rollouts by a long id',
      { name: 'flexibleRollout', parameters: { rollout: '0', stickiness: 'userId', groupId: 'g' } },
      { userId: longText('x') },
    ],
    [
      'gradual rollouts by a long id',
      { name: 'gradualRolloutUserId', parameters: { percentage: '0', groupId: 'g' } },
      { userId: longText('x') },
    ],
    [
      'lists of networks',
      { name: 'remoteAddress', parameters: { IPs: list(20_000, (n) => `10.${n >> 8}.${n & 255}.1/32`).join() } },
      { remoteAddress: '11.0.0.1' },
    ],
  ])('count %s', (_title, strategy, context) => {
    // Without those of the texts and lists, 30 strategies with 30 constraints would have 14,000.
    expect(stepsOf(strategy, context)).toBeGreaterThan(100_000);
  });

  it('count variants, their overrides and the text by which one is chosen', () => {
    const variants = list(2_000, (n) => ({
      ...{ name: `v${n}`, weight: 1, stickiness: 'userId' },
      overrides: list(3, () => ({ contextName: 'country', values: ['NO'] })),
    }));
    const flags = compileFlags({ features: [{ name: 'flag', enabled: true, strategies: [], variants }] });
    const budget = new Counter();
    flags.evaluate('flag', { userId: longText('x') }, 0, budget);
    expect(budget.steps).toBeGreaterThan(maxContextText + 2_000 + 6_000);
  });

  it('count strategies without constraints', () => {
    const steps = stepsOf({ name: 'userWithId', parameters: { userIds: 'a' } }, { userId: 'b' });
    expect(steps).toBeGreaterThanOrEqual(3 * 30);
  });
});
