import type { Variant } from '../../save/change.ts';
import { isolated } from '../../ui/direction.ts';

/** Who gets a variant whatever its share is, as in `blue is for userId 7 or 8 in any case.` */
export function overridesInWords(variants: readonly Variant[]): string[] {
  return variants.flatMap(({ name, overrides = [] }) =>
    overrides.map(({ contextName, values }) =>
      [isolated(name), 'is for', isolated(contextName), values.map(isolated).join(' or '), 'in any case.'].join(' '),
    ),
  );
}
