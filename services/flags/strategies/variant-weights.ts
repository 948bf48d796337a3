/** All of the traffic, in thousandths. */
export const wholeWeight = 1000;

export interface Weighted {
  weight: number;
  weightType: 'variable' | 'fix';
}

/**
 * Gives variable variants equal shares of what the fixed ones leave, thousandths left over going to the first ones, so that
 * the weights sum to 1000. Null when they cannot: the fixed ones take more than all, or there is none to take the rest.
 */
export function withWholeWeights<Variant extends Weighted>(variants: readonly Variant[]): Variant[] | null {
  if (variants.length === 0) return [];
  const fixed = variants.filter(({ weightType }) => weightType === 'fix');
  const left = wholeWeight - fixed.reduce((sum, { weight }) => sum + weight, 0);
  const shares = variants.length - fixed.length;
  if (left < 0 || (shares === 0 && left !== 0)) return null;
  let taken = 0;
  return variants.map((variant) => {
    if (variant.weightType === 'fix') return variant;
    const weight = Math.floor(left / shares) + (taken < left % shares ? 1 : 0);
    taken += 1;
    return { ...variant, weight };
  });
}
