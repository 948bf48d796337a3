import { isolated } from '../ui/direction.ts';
import type { Parent } from './change.ts';
import { isSame } from './same.ts';

/** What a flag requires of a parent, as in `on with the variant blue or green`. */
export function requirementInWords({ enabled = true, variants = [] }: Omit<Parent, 'feature'>): string {
  if (!enabled) return 'off';
  return variants.length === 0 ? 'on' : `on with the variant ${variants.map(isolated).join(' or ')}`;
}

/** Each difference of what a flag depends on as a sentence. */
export function dependenciesChanged(before: readonly Parent[], after: readonly Parent[]): string[] {
  const old = new Map(before.map((parent) => [parent.feature, requirementInWords(parent)]));
  const kept = new Set(after.map(({ feature }) => feature));
  return [
    ...after.flatMap((parent) => {
      const { feature } = parent;
      const [was, is] = [old.get(feature), requirementInWords(parent)];
      if (was === is) return [];
      return [
        `It is on only where ${feature} is ${is}${was === undefined ? '' : `, and no longer where it is ${was}`}.`,
      ];
    }),
    ...before.filter(({ feature }) => !kept.has(feature)).map(({ feature }) => `It no longer depends on ${feature}.`),
  ];
}

/** Whether two flags depend on the same. The order of the parents has no meaning. */
export function dependOnSame(one: readonly Parent[], other: readonly Parent[]): boolean {
  const requirements = (parents: readonly Parent[]) =>
    Object.fromEntries(parents.map((parent) => [parent.feature, requirementInWords(parent)]));
  return isSame(requirements(one), requirements(other));
}
