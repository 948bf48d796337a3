import { maxPlaygroundEvaluations as maxEvaluations } from '@yardarm/shared/contracts/flags';
import { describe, expect, it, test } from 'vitest';
import { contextsOf, countContexts, keptContexts, requireFewEvaluations, requireShortContexts } from './playground.ts';

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

test('contexts are kept for all flags unless they are large together', () => {
  const manyFields = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field-${index}`, ['value']]));
  expect(keptContexts(manyFields)).toEqual([...contextsOf(manyFields)]);
  expect(keptContexts({ ...manyFields, other: Array(1_000).fill('value') })).toBeNull();
});

test('contexts that make the answer too large by themselves are refused', () => {
  const fields = { text: ['x'.repeat(9_990), 'y'] };
  expect(() => requireShortContexts(2_498, fields)).not.toThrow();
  expect(() => requireShortContexts(2_501, fields)).toThrow(/more than 50000000 bytes/);
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
