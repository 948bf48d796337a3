import { isolated } from '../ui/direction.ts';
import type { Variant } from './change.ts';
import { isSame } from './same.ts';

/** The weight of a variant, in thousandths, as a share. */
export function shareInWords(weight: number): string {
  return `${Number((weight / 10).toFixed(1))} %`;
}

/** As in `blue 50 %, green 50 %`; empty without variants. */
export function sharesInWords(variants: readonly Pick<Variant, 'name' | 'weight'>[]): string {
  return variants.map(({ name, weight }) => `${isolated(name)} ${shareInWords(weight)}`).join(', ');
}

/** Each difference of two lists of variants as a sentence. */
export function variantsChanged(before: Variant[], after: Variant[]): string[] {
  const old = new Map(before.map((variant) => [variant.name, variant]));
  const now = new Map(after.map((variant) => [variant.name, variant]));
  return [
    ...after.flatMap((variant) => {
      const was = old.get(variant.name);
      if (was === undefined)
        return [`The variant ${isolated(variant.name)} is added, with ${shareInWords(variant.weight)}.`];
      return variantChanged(was, variant);
    }),
    ...before.filter(({ name }) => !now.has(name)).map(({ name }) => `The variant ${isolated(name)} is removed.`),
  ];
}

/** A payload may have thousands of characters. Two that begin alike are compared in the editor. */
const maxShown = 80;

function payloadInWords({ payload }: Variant): string {
  if (payload === undefined) return 'none';
  const { type, value } = payload;
  return `“${isolated(value.length > maxShown ? `${value.slice(0, maxShown)}…` : value)}” (${type})`;
}

function variantChanged(was: Variant, now: Variant): string[] {
  const name = isolated(now.name);
  return [
    ...(was.weight === now.weight
      ? []
      : [`The variant ${name}: ${shareInWords(was.weight)} → ${shareInWords(now.weight)}.`]),
    ...((was.weightType ?? 'variable') === (now.weightType ?? 'variable')
      ? []
      : [`The share of the variant ${name} is ${now.weightType === 'fix' ? 'fixed' : 'what the others leave'}.`]),
    ...(isSame(was.payload, now.payload)
      ? []
      : [`The payload of the variant ${name}: ${payloadInWords(was)} → ${payloadInWords(now)}.`]),
    ...(isSame(was.overrides ?? [], now.overrides ?? []) ? [] : [`The overrides of the variant ${name} change.`]),
    ...((was.stickiness ?? 'default') === (now.stickiness ?? 'default')
      ? []
      : [
          `The stickiness of the variant ${name}: ${isolated(was.stickiness ?? 'default')} → ${isolated(now.stickiness ?? 'default')}.`,
        ]),
  ];
}
