/** All traffic, in thousandths. */
export const wholeWeight = 1000;

export interface Weighted {
  weight: number;
  weightType: 'variable' | 'fix';
}

/**
 * Gives variable variants equal shares of what the fixed ones leave, so that the weights sum to 1000. The first
 * variants get the remaining thousandths. Null when the fixed weights exceed 1000, or are less than 1000 without a
 * variable variant.
 */
export function withWholeWeights<Variant extends Weighted>(variants: readonly Variant[]): Variant[] | null {
  if (variants.length === 0) return [];
  const fixed = variants.filter(({ weightType }) => weightType === 'fix');
  const left = wholeWeight - fixed.reduce((sum, { weight }) => sum + weight, 0);
  const shares = variants.length - fixed.length;
  if (left < 0 || (shares === 0 && left !== 0)) return null;
  let given = 0;
  return variants.map((variant) => {
    if (variant.weightType === 'fix') return variant;
    const weight = Math.floor(left / shares) + (given < left % shares ? 1 : 0);
    given += 1;
    return { ...variant, weight };
  });
}
