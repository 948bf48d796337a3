import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type Budget, noBudget } from './budget.ts';
import { compileConstraint } from './constraint.ts';
import { maxTextLength, Pattern } from './pattern.ts';

const pattern = (value: string) => new Pattern({ contextName: 'userId', operator: 'REGEX', value });

describe('a text that is longer than a pattern compares', () => {
  const text = 'a'.repeat(maxTextLength + 1);
  const check = (inverted: boolean) =>
    compileConstraint({ contextName: 'userId', operator: 'REGEX', value: 'a', inverted });

  it('matches no pattern', () => {
    expect(check(false)({ userId: text.slice(1) }, 0, noBudget)).toBe(true);
    expect(check(false)({ userId: text }, 0, noBudget)).toBe(false);
  });

  it('satisfies an inverted constraint, as any other text that does not match', () => {
    expect(check(true)({ userId: text }, 0, noBudget)).toBe(true);
  });
});

test('what is no pattern is in no text', () => {
  const invalid = pattern('(a');
  expect([invalid.isIn('(a', noBudget), invalid.isIn('(a', noBudget)]).toEqual([false, false]);
});

test('a pattern that was not used for a while is compiled again', () => {
  let steps = 0;
  const counting: Budget = {
    ...noBudget,
    spend: (taken) => {
      steps += taken;
    },
  };
  const stepsOf = (each: Pattern) => {
    steps = 0;
    each.isIn('', counting);
    return steps;
  };
  const [used, unused] = [pattern('a[bc]'), pattern('x[yz]')];
  const first = [stepsOf(used), stepsOf(unused)];
  const later = [stepsOf(used), stepsOf(unused)];
  expect(later[0]).toBeLessThan(first[0]!);
  Pattern.dropUnused();
  expect(stepsOf(used)).toBe(later[0]);
  Pattern.dropUnused();
  expect([stepsOf(used), stepsOf(unused)]).toEqual([later[0], first[1]]);
});

/** Patterns of few letters, for which the number of states grows with the length of the texts. */
const sources = fc
  .array(
    fc.tuple(
      fc.constantFrom('a', 'b', '.', '[ab]', '(a|bb)', '(ab|b)', '[^a]'),
      fc.constantFrom('', '*', '+', '?', '{3}', '{2,9}', '{20}'),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.flat().join(''));
const texts = fc.array(fc.constantFrom('a', 'b', 'a', 'b', 'c'), { maxLength: 200 }).map((letters) => letters.join(''));

test('a pattern that may remember few states matches as RegExp does', () => {
  fc.assert(
    fc.property(sources, fc.array(texts, { minLength: 1, maxLength: 20 }), (source, sample) => {
      const own = pattern(source);
      const regExp = new RegExp(source);
      expect(sample.map((text) => own.isIn(text, noBudget))).toEqual(sample.map((text) => regExp.test(text)));
    }),
  );
});
