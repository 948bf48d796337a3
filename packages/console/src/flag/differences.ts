import type { FlagEnvironment } from '../save/after.ts';
import { type Strategy, settingsOf } from '../save/change.ts';
import { isSame } from '../save/same.ts';
import { sharesInWords, variantsChanged } from '../save/variant-words.ts';
import { strategyChanged } from '../save/words.ts';
import { inWords, type SegmentNames } from './strategy-words.ts';

type Environment = Pick<FlagEnvironment, 'name' | 'enabled' | 'strategies' | 'variants'>;

/** How each environment differs from the one before it, as in `production has 25 % instead of everybody.` */
export function differencesInWords(environments: readonly Environment[], names?: SegmentNames): string[] {
  return environments.slice(1).map((environment, index) => {
    const before = environments[index]!;
    const differences = [
      ...switched(before, environment),
      ...strategiesDiffer(before, environment, names),
      ...variantsDiffer(before, environment),
    ];
    if (differences.length === 0) return `${environment.name} is as ${before.name}.`;
    return `${environment.name} differs from ${before.name}: ${differences.join('; ')}.`;
  });
}

function switched(before: Environment, { enabled }: Environment): string[] {
  return before.enabled === enabled ? [] : [`${enabled ? 'on' : 'off'} instead of ${before.enabled ? 'on' : 'off'}`];
}

function variantsDiffer(before: Environment, { variants }: Environment): string[] {
  const changed = variantsChanged(before.variants, variants);
  const [from, to] = [before.variants, variants].map((each) => sharesInWords(each) || 'none');
  return changed.length === 0 || from === to ? changed.map(asPart) : [`the variants ${to} instead of ${from}`];
}

/** Disabled strategies have no effect and do not count. */
function strategiesDiffer(before: Environment, environment: Environment, names?: SegmentNames): string[] {
  const [old, now] = [before, environment].map(({ strategies }) => strategies.filter(({ disabled }) => !disabled));
  const missing = old!.filter((strategy) => !now!.some((other) => isEqual(strategy, other)));
  const extra = now!.filter((strategy) => !old!.some((other) => isEqual(strategy, other)));
  if (missing.length === 1 && extra.length === 1) {
    const [from, to] = [inWords(missing[0]!, names), inWords(extra[0]!, names)];
    return from === to ? details(missing[0]!, extra[0]!, names) : [`${to} instead of ${from}`];
  }
  const list = (strategies: Strategy[]) => strategies.map((strategy) => `“${inWords(strategy, names)}”`).join(' and ');
  if (missing.length + extra.length > 0) {
    return [
      ...(extra.length > 0 ? [`it has also ${list(extra)}`] : []),
      ...(missing.length > 0 ? [`it lacks ${list(missing)}`] : []),
    ];
  }
  const isInOrder = old!.length !== now!.length || old!.every((strategy, index) => isEqual(strategy, now![index]!));
  return isInOrder ? [] : ['the strategies are in another order'];
}

function details(before: Strategy, now: Strategy, names?: SegmentNames): string[] {
  return strategyChanged({ ...before, title: null }, { ...now, title: null }, names).map(asPart);
}

/** A sentence as a part of another one. */
const asPart = (sentence: string) => sentence.replace(/\.$/, '').replace(/^The /, 'the ');

/** A title has no effect. A stored constraint may lack the list of values. */
function isEqual(one: Strategy, other: Strategy): boolean {
  return isSame({ ...settingsOf(one), title: null }, { ...settingsOf(other), title: null });
}
