import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Weighted, withWholeWeights } from './variant-weights.ts';

const fix = (weight: number): Weighted => ({ weight, weightType: 'fix' });
const variable = (weight = 0): Weighted => ({ weight, weightType: 'variable' });
const weightsOf = (variants: Weighted[]) => withWholeWeights(variants)?.map(({ weight }) => weight);

describe('withWholeWeights', () => {
  it.each([
    ['no variants', [], []],
    ['one variable variant of any weight', [variable(7)], [1000]],
    ['three variable ones, the first with the remainder', [variable(), variable(), variable()], [334, 333, 333]],
    ['a fixed one and two variable ones', [variable(), fix(501), variable()], [250, 501, 249]],
    ['fixed ones that sum to 1000', [fix(400), fix(600)], [400, 600]],
    ['fixed ones that leave nothing to a variable one', [fix(1000), variable(500)], [1000, 0]],
  ])('weighs %s', (_, variants, weights) => {
    expect(weightsOf(variants)).toEqual(weights);
  });

  it.each([
    ['fixed ones of more than 1000', [fix(600), fix(401), variable()]],
    ['fixed ones of less than 1000 without a variable one', [fix(400), fix(599)]],
  ])('refuses %s', (_, variants) => {
    expect(withWholeWeights(variants)).toBeNull();
  });

  it('sums to 1000 if possible, keeps fixed weights, and shares the rest evenly', () => {
    const weighted = fc.record({
      weight: fc.integer({ min: 0, max: 1000 }),
      weightType: fc.constantFrom<Weighted['weightType']>('fix', 'variable'),
    });
    fc.assert(
      fc.property(fc.array(weighted, { minLength: 1, maxLength: 20 }), (variants) => {
        const fixed = variants.filter(({ weightType }) => weightType === 'fix');
        const sum = fixed.reduce((total, { weight }) => total + weight, 0);
        const result = withWholeWeights(variants);
        expect(result === null).toBe(sum > 1000 || (fixed.length === variants.length && sum < 1000));
        if (result === null) return;
        expect(result.reduce((total, { weight }) => total + weight, 0)).toBe(1000);
        expect(result.filter(({ weightType }) => weightType === 'fix')).toEqual(fixed);
        const shares = result.filter(({ weightType }) => weightType === 'variable').map(({ weight }) => weight);
        if (shares.length > 0) expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
