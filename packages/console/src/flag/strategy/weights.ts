import type { StrategyVariant } from '../../save/change.ts';

/** All traffic, in thousandths. */
export const wholeWeight = 1000;

type Weighted = Pick<StrategyVariant, 'weight' | 'weightType'>;

/**
 * The variants with weights that sum to 1000, as the server computes them: variable ones share what the fixed ones
 * leave. Fixed weights that leave nothing, or leave something without a variable variant, are cut or raised from the
 * last one; `keep` is the index of one that stays as it is if it can.
 */
export function withWholeWeights<Variant extends Weighted>(variants: readonly Variant[], keep = -1): Variant[] {
  if (variants.length === 0) return [];
  const weights = variants.map(({ weight, weightType }) => (weightType === 'fix' ? clamped(weight) : 0));
  let left = wholeWeight - weights.reduce((sum, weight) => sum + weight, 0);
  const variable = variants.flatMap(({ weightType }, index) => (weightType === 'variable' ? [index] : []));
  // Those that give way, the kept one last.
  const fixed = variants
    .flatMap(({ weightType }, index) => (weightType === 'fix' && index !== keep ? [index] : []))
    .reverse();
  const order = variants[keep]?.weightType === 'fix' ? [...fixed, keep] : fixed;
  for (const index of left < 0 ? order : []) {
    const cut = Math.min(weights[index]!, -left);
    weights[index]! -= cut;
    left += cut;
  }
  if (variable.length === 0) weights[order[0]!]! += left;
  for (const [place, index] of variable.entries()) {
    weights[index] = Math.floor(left / variable.length) + (place < left % variable.length ? 1 : 0);
  }
  return variants.map((variant, index) => ({ ...variant, weight: weights[index]! }));
}

function clamped(weight: number): number {
  return Number.isFinite(weight) ? Math.min(wholeWeight, Math.max(0, Math.round(weight))) : 0;
}
