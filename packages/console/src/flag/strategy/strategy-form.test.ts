import { describe, expect, it } from 'vitest';
import { Problem } from '../../api/problem.ts';
import { errorAt, errorsOf, withoutErrorsOf } from '../../api/property-errors.ts';
import { checkStrategy } from './check-strategy.ts';
import { emptyStrategy, fromDraft, parametersFor, toDraft } from './draft.ts';
import { withField, withOperator } from './operators.ts';
import { pastedInWords, withPasted } from './pasted-values.ts';
import { withWholeWeights } from './weights.ts';

describe('withPasted', () => {
  it.each([
    ['NO,SE', ['NO', 'SE']],
    ['NO\nSE\r\nDK\n', ['NO', 'SE', 'DK']],
    [' NO , SE\n, ,\n', ['NO', 'SE']],
    ['"a, b",c', ['a, b', 'c']],
    ['"say ""hi"""', ['say "hi"']],
    ['5" screen', ['5" screen']],
    ['', []],
  ])('reads %j', (text, values) => {
    expect(withPasted([], text).values).toEqual(values);
  });

  it('counts what was there before and what is there twice', () => {
    const pasted = withPasted(['a'], 'a,b,b,c');
    expect(pasted).toEqual({ values: ['a', 'b', 'c'], added: 2, duplicates: 2 });
    expect(pastedInWords(pasted)).toBe('2 values added, 2 dropped as duplicates.');
  });

  it('reads a thousand values', () => {
    const text = Array.from({ length: 1000 }, (_, index) => `user-${index}`).join('\n');
    expect(withPasted([], text)).toMatchObject({ added: 1000, duplicates: 0 });
  });
});

describe('withWholeWeights', () => {
  const variant = (weight: number, weightType: 'fix' | 'variable' = 'fix') => ({ weight, weightType });
  const weights = (...args: Parameters<typeof withWholeWeights>) =>
    withWholeWeights(...args).map(({ weight }) => weight);

  it.each([
    ['none', [], undefined, []],
    ['one', [variant(1)], undefined, [1000]],
    [
      'three variable ones',
      [variant(0, 'variable'), variant(0, 'variable'), variant(0, 'variable')],
      undefined,
      [334, 333, 333],
    ],
    [
      'a fixed and variable ones',
      [variant(500), variant(0, 'variable'), variant(9, 'variable')],
      undefined,
      [500, 250, 250],
    ],
    ['too much, of which the last gives way', [variant(700), variant(700)], undefined, [700, 300]],
    ['too much, where the second is kept', [variant(700), variant(700)], 1, [300, 700]],
    ['too little, of which the other takes the rest', [variant(200), variant(700)], 0, [200, 800]],
    ['too little, where the only one is kept', [variant(200)], 0, [1000]],
    ['no number', [variant(Number.NaN), variant(0, 'variable')], undefined, [0, 1000]],
    ['out of range', [variant(2000), variant(-5), variant(0, 'variable')], 0, [1000, 0, 0]],
  ])('makes 1000 of %s', (_, variants, keep, expected) => {
    expect(weights(variants, keep)).toEqual(expected);
  });

  it('makes 1000 of any', () => {
    for (let mask = 0; mask < 64; mask++) {
      const variants = Array.from({ length: 6 }, (_, index) =>
        variant((mask * 37 + index * 211) % 1300, (mask >> index) & 1 ? 'fix' : 'variable'),
      );
      for (const keep of [-1, 0, 5]) {
        expect(weights(variants, keep).reduce((sum, weight) => sum + weight)).toBe(1000);
        expect(weights(variants, keep).every((weight) => weight >= 0)).toBe(true);
      }
    }
  });
});

describe('a constraint', () => {
  const constraint = {
    contextName: 'userId',
    operator: 'IN' as const,
    values: ['1'],
    inverted: true,
    caseInsensitive: false,
  };

  it('keeps its values while operators take a list', () => {
    expect(withOperator(constraint, 'STR_CONTAINS')).toMatchObject({ values: ['1'], inverted: true });
    expect(withOperator(constraint, 'NUM_GT')).toMatchObject({ values: [], value: '' });
    const number = { ...withOperator(constraint, 'NUM_GT'), value: '5' };
    expect(withOperator(number, 'NUM_LT')).toMatchObject({ value: '5' });
    expect(withOperator(number, 'SEMVER_LT')).toMatchObject({ value: '' });
  });

  it('compares a time with a time, and nothing else', () => {
    const time = withField(constraint, 'currentTime');
    expect(time).toMatchObject({ operator: 'DATE_AFTER', value: '' });
    expect(withField(time, 'country')).toMatchObject({ operator: 'IN', values: [] });
    expect(withField(constraint, 'country')).toMatchObject({ operator: 'IN', values: ['1'] });
  });
});

describe('errors', () => {
  it('come from details, or from the message', () => {
    const details = [
      { path: '.variants[0].name', message: 'The .variants[0].name property should not be empty. You sent "".' },
    ];
    expect(errorsOf(new Problem('invalid', 'See details', { details }))).toEqual({
      '.variants[0].name': 'It should not be empty. You sent "".',
    });
    const message = 'The .parameters.rollout property should be a number from 0 to 100. You sent "400".';
    const errors = errorsOf(new Problem('invalid', message));
    expect(errorAt(errors, '.parameters')).toBe('It should be a number from 0 to 100. You sent "400".');
    expect(errorAt(errors, '.parameter')).toBeUndefined();
    expect(withoutErrorsOf(errors, ['parameters'])).toEqual({});
    expect(withoutErrorsOf(errors, ['title'])).toEqual(errors);
  });

  it('of a strategy are found before it is sent', () => {
    const strategy = {
      ...emptyStrategy('flexibleRollout', 'checkout'),
      constraints: [
        { contextName: '', operator: 'IN' as const, inverted: false, caseInsensitive: false, values: [] },
        { contextName: 'age', operator: 'NUM_GT' as const, inverted: false, caseInsensitive: false, value: 'old' },
      ],
    };
    expect(checkStrategy(strategy)).toEqual({
      '.constraints[0].contextName': 'It should not be empty.',
      '.constraints[1].value': 'It should be a number.',
    });
    expect(checkStrategy(emptyStrategy('default', 'checkout'))).toEqual({});
  });

  it('of a strategy include those of the parameters of its type', () => {
    const strategy = {
      ...emptyStrategy('custom', 'checkout'),
      parameters: { share: '140', quota: 'many', regions: '' },
    };
    const type = [
      { name: 'share', type: 'percentage' as const },
      { name: 'quota', type: 'number' as const },
      { name: 'regions', type: 'list' as const, required: true },
      { name: 'note', type: 'string' as const },
    ];
    expect(checkStrategy(strategy, type)).toEqual({
      '.parameters.share': 'It should be a number from 0 to 100.',
      '.parameters.quota': 'It should be a number.',
      '.parameters.regions': 'It should not be empty.',
    });
  });
});

it('a draft is sent without its keys', () => {
  const strategy = { ...emptyStrategy('flexibleRollout', 'checkout'), title: ' ' };
  expect(fromDraft(toDraft(strategy))).toEqual({ ...strategy, title: null });
});

it('another type keeps the share', () => {
  const type = (name: string, parameter: string) =>
    ({ name, parameters: [{ name: parameter, type: 'percentage' }] }) as Parameters<typeof parametersFor>[0];
  expect(parametersFor(type('gradualRolloutRandom', 'percentage'), { rollout: '30' }, 'checkout')).toEqual({
    percentage: '30',
  });
  expect(parametersFor(type('custom', 'countries'), { rollout: '30' }, 'checkout')).toEqual({ countries: '' });
});
