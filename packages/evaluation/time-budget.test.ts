import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { costlySteps } from './budget.ts';
import { compileFlags } from './compiled-flags.ts';
import type { StrategyDefinition } from './definitions.ts';
import { BudgetExceeded, cpuTimeMs, TimeBudget } from './time-budget.ts';

/** A text for which a pattern of these letters meets a new state with almost every letter. */
const randomText = (length: number) => Array.from({ length }, () => (Math.random() < 0.5 ? 'a' : 'b')).join('');

/** Inverted, so that every constraint of the strategy is evaluated. */
const costly = (count: number, repeats: number): StrategyDefinition => ({
  name: 'default',
  constraints: Array.from({ length: count }, (_, index) => {
    const value = `a[ab]{${repeats + index}}[cd]`;
    return { contextName: 'userId', operator: 'REGEX', value, inverted: true };
  }),
});

const flagsWith = (count: number, strategy: StrategyDefinition) =>
  compileFlags({
    features: Array.from({ length: count }, (_, index) => {
      return { name: `flag-${index}`, enabled: true, strategies: [strategy] };
    }),
  });

function runToEnd(budget: TimeBudget, evaluate: () => unknown): void {
  while (budget.run(evaluate) === null) {
    budget.endSlice();
    budget.beginSlice();
  }
}

describe('a budget of time', () => {
  it('ends the evaluation of a flag whose patterns take long, and names the constraint', () => {
    const flags = flagsWith(1, costly(30, 960));
    const evaluate = () => flags.evaluate('flag-0', { userId: randomText(1_000) }, 0, new TimeBudget(50));
    expect(evaluate).toThrow(expect.objectContaining({ constraint: expect.objectContaining({ operator: 'REGEX' }) }));
    expect(evaluate).toThrow(BudgetExceeded);
  });

  it('ends a flag that takes long in all slices together', () => {
    const flags = flagsWith(1, costly(30, 960));
    const budget = new TimeBudget(60_000);
    const context = { userId: randomText(1_000) };
    expect(() => runToEnd(budget, () => flags.evaluate('flag-0', context, 0, budget))).toThrow(BudgetExceeded);
  });

  it('interrupts an evaluation after a slice, and computes no costly constraint twice', () => {
    const budget = new TimeBudget(60_000);
    const constraints = [1, 2, 3, 4].map((n) => ({ contextName: `field-${n}`, operator: 'REGEX' }));
    const computed: unknown[] = [];
    const evaluate = () =>
      constraints.map((constraint, index) =>
        budget.compute(costlySteps, constraint, () => {
          computed.push(constraint);
          const until = cpuTimeMs() + 3;
          while (cpuTimeMs() < until);
          budget.spend(20_000, constraint);
          return index % 2 === 0;
        }),
      );
    const runs = [];
    while (runs.at(-1) == null) {
      runs.push(budget.run(evaluate));
      budget.endSlice();
      budget.beginSlice();
    }
    expect(runs).toEqual([null, null, null, null, [true, false, true, false]]);
    expect(computed).toEqual(constraints);
    // The next evaluation may have another context, so it gets no result of this one.
    budget.run(evaluate);
    expect(computed).toHaveLength(constraints.length + 1);
  });

  it('ends a flag whose many constraints take a few microseconds each', () => {
    const constraints = Array.from({ length: 10_000 }, () => {
      return { contextName: 'userId', operator: 'SEMVER_EQ', value: '1.2.3', inverted: true };
    });
    const flags = flagsWith(1, { name: 'default', constraints });
    const budget = new TimeBudget(60_000);
    const evaluate = () => budget.run(() => flags.evaluate('flag-0', { userId: 'no version' }, 0, budget));
    expect(evaluate).toThrow(BudgetExceeded);
  });

  it('gives the next flag its own time after one that took too long', () => {
    const slow = flagsWith(1, costly(30, 960));
    const budget = new TimeBudget(60_000);
    const context = { userId: randomText(1_000) };
    expect(() => runToEnd(budget, () => slow.evaluate('flag-0', context, 0, budget))).toThrow(BudgetExceeded);
    budget.endSlice();
    budget.beginSlice();
    const moderate = [{ contextName: 'field', operator: 'REGEX' }];
    const runs = [1, 2].map(() =>
      budget.run(() =>
        moderate.every((constraint) =>
          budget.compute(costlySteps, constraint, () => {
            const until = cpuTimeMs() + 3;
            while (cpuTimeMs() < until);
            budget.spend(20_000, constraint);
            return true;
          }),
        ),
      ),
    );
    expect(runs).toEqual([null, true]);
  });

  it('ends a constraint that takes long by itself', () => {
    // A search for such a value takes 90 µs: it compares most of the value at each letter of the text.
    const values = Array.from({ length: 1_000 }, () => `${'a'.repeat(99)}b`);
    const constraints = [{ contextName: 'userId', operator: 'STR_CONTAINS', values }];
    const flags = flagsWith(1, { name: 'default', constraints });
    const budget = new TimeBudget(60_000);
    const evaluate = () => budget.run(() => flags.evaluate('flag-0', { userId: 'a'.repeat(10_000) }, 0, budget));
    expect(evaluate).toThrow(BudgetExceeded);
  });

  it('ends the evaluation of many flags of which none takes long', () => {
    const flags = flagsWith(1_000, costly(2, 200));
    const budget = new TimeBudget(100);
    const evaluateAll = () => {
      for (let index = 0; index < 1_000; index += 1) {
        if (budget.isSliceOver) {
          budget.endSlice();
          budget.beginSlice();
        }
        flags.evaluate(`flag-${index}`, { userId: randomText(1_000) }, 0, budget);
      }
    };
    expect(evaluateAll).toThrow(BudgetExceeded);
  });

  it('makes no match whose program is too large for the text', () => {
    const budget = new TimeBudget(10_000);
    expect(() => budget.spend(1_000_001)).toThrow(BudgetExceeded);
  });

  it('counts no time in which other work runs', async () => {
    const flags = flagsWith(100, costly(1, 100));
    const budget = new TimeBudget(1_000);
    for (let index = 0; index < 100; index += 1) {
      flags.evaluate(`flag-${index}`, { userId: randomText(1_000) }, 0, budget);
      await budget.next();
      budget.endSlice();
      const until = performance.now() + 30;
      if (index % 10 === 0) while (performance.now() < until) await yieldToEventLoop();
      budget.beginSlice();
    }
  });

  it('is enough for many patterns of good faith', () => {
    const sources = [
      '@example\\.(com|org)$',
      '^[a-z0-9.]+@.{1,100}$',
      '^v?[0-9]+\\.[0-9]+',
      '(?i)iphone|ipad',
      '^u-[0-9]{1,9}$',
    ];
    const features = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ name: `flag-${index}`, enabled: true },
      strategies: [
        {
          name: 'default',
          constraints: [{ contextName: 'userId', operator: 'REGEX', value: sources[index % sources.length]! }],
        },
      ],
    }));
    const flags = compileFlags({ features });
    const budget = new TimeBudget(10_000);
    for (const { name } of features) {
      if (budget.isSliceOver) {
        budget.endSlice();
        budget.beginSlice();
      }
      flags.evaluate(name, { userId: 'someone.else@example.org' }, 0, budget);
    }
  });
});
