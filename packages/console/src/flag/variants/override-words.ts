import type { Variant } from '../../save/change.ts';

/** Who gets a variant whatever its share is, as in `blue is for userId 7 or 8 in any case.` */
export function overridesInWords(variants: readonly Variant[]): string[] {
  return variants.flatMap(({ name, overrides = [] }) =>
    overrides.map(({ contextName, values }) => `${name} is for ${contextName} ${values.join(' or ')} in any case.`),
  );
}
