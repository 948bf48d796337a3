import { maxPlaygroundEvaluations as maxEvaluations } from '@yardarm/shared/contracts/flags';
import { describe, expect, it, test } from 'vitest';
import { contextsOf, countContexts, requireFewEvaluations } from './playground.ts';

describe('the contexts of fields', () => {
  it.each([
    [{}, [{}]],
    [{ a: ['1'] }, [{ a: '1' }]],
    [
      { a: ['1', '2'], b: ['x', 'y'] },
      [
        { a: '1', b: 'x' },
        { a: '1', b: 'y' },
        { a: '2', b: 'x' },
        { a: '2', b: 'y' },
      ],
    ],
    [{ a: ['1', '1'] }, [{ a: '1' }, { a: '1' }]],
  ])('of %j are all combinations', (fields, contexts) => {
    expect([...contextsOf(fields)]).toEqual(contexts);
    expect(countContexts(fields)).toBe(contexts.length);
  });
});

test.each([
  [maxEvaluations, 1, 1],
  [maxEvaluations + 1, 1, 1],
  [5, 3, 1000],
  [0, 2, Number.POSITIVE_INFINITY],
])('%i flags in %i environments for %i contexts are evaluated', (flags, environments, contexts) => {
  expect(() => requireFewEvaluations(flags, environments, contexts)).not.toThrow();
});

test.each([
  [maxEvaluations, 2, 1, /30000 evaluations.*`environments` \(2\).*have 15000 flags.*\(1 combinations\)/],
  [1, 1, maxEvaluations + 1, /15001 evaluations.*\(15001 combinations\)/],
  [1, 1, Number.POSITIVE_INFINITY, /asks for more than 10\^15 evaluations/],
])('%i flags in %i environments for %i contexts are too many', (flags, environments, contexts, message) => {
  expect(() => requireFewEvaluations(flags, environments, contexts)).toThrow(message);
});
