import type { Reasons, StrategyReason } from '@yardarm/evaluation/pure';
import { constraintInWords, inWords, type SegmentNames } from '../flag/strategy-words.ts';
import { isolated } from '../ui/direction.ts';
import type { FlagEnvironment } from './after.ts';
import type { Constraint, Strategy } from './change.ts';
import type { Comparison, Effects } from './effects.ts';
import { isSame } from './same.ts';
import { asSentence, nameOf } from './words.ts';

const changesNothing = ({ gain, lose, otherVariant, otherPayload }: Effects) =>
  gain + lose + otherVariant + otherPayload === 0;

const users = (count: number) => (count === 1 ? 'one' : count.toLocaleString('en'));

/** As in `Of 1,000 sample users, 240 get it on and nobody loses it.` */
export function effectsInWords(effects: Effects): string[] {
  const { total, onBefore, onAfter, gain, lose, otherVariant, otherPayload } = effects;
  if (changesNothing(effects)) {
    return [`Nothing changes for ${users(total)} sample users. It is on for ${share(onAfter, total)} of them.`];
  }
  const change = [
    gain === 0 ? 'nobody gains it' : `${users(gain)} ${gain === 1 ? 'gains' : 'gain'} it`,
    lose === 0 ? 'nobody loses it' : `${users(lose)} ${lose === 1 ? 'loses' : 'lose'} it`,
    ...(otherVariant === 0 ? [] : [`${users(otherVariant)} ${otherVariant === 1 ? 'gets' : 'get'} another variant`]),
    ...(otherPayload === 0 ? [] : [`${users(otherPayload)} ${otherPayload === 1 ? 'gets' : 'get'} another payload`]),
  ].join(', ');
  return [
    `It was on for ${share(onBefore, total)} of ${users(total)} sample users, and is on for ${share(onAfter, total)} then.`,
    `${change[0]!.toUpperCase()}${change.slice(1)}.`,
  ];
}

/** A flag that is off before and after a change. */
export interface OnceOn {
  /** Without the change it gets the default strategy when it is switched on, because it has none. */
  getsDefault: boolean;
}

/** As `effectsInWords`, of a flag that is off before and after: what the change means once somebody switches it on. */
export function effectsOnceOn(effects: Effects, { getsDefault }: OnceOn): string[] {
  const { total, onBefore, onAfter, gain, lose, otherVariant, otherPayload } = effects;
  const withChange = `${share(onAfter, total)} of ${users(total)} sample users`;
  if (changesNothing(effects)) return [`Once it is on, ${withChange} have it, with or without this change.`];
  const changes = [
    ...(gain === 0 ? [] : [`${users(gain)} more`]),
    ...(lose === 0 ? [] : [`${users(lose)} fewer`]),
    ...(otherVariant === 0 ? [] : [`${users(otherVariant)} with another variant`]),
    ...(otherPayload === 0 ? [] : [`${users(otherPayload)} with another payload`]),
  ];
  const without = getsDefault
    ? `get the default strategy, which is on for ${share(onBefore, total)}`
    : `be ${share(onBefore, total)}`;
  return [`Once it is on, ${withChange} have it. Without this change it would ${without}: ${changes.join(', ')}.`];
}

/** Whether a change alters the answer for one context. */
export function answerInWords({ before, after }: Comparison, onceOn: OnceOn | null): string {
  const [old, next] = [before.evaluation, after.evaluation];
  const hasSameVariant = old.enabled === next.enabled && old.variant.name === next.variant.name;
  const change = !hasSameVariant
    ? 'the answer changes'
    : isSame(old.variant.payload, next.variant.payload)
      ? 'the answer stays the same'
      : 'the payload changes';
  return onceOn === null ? asSentence(change) : `Once the flag is on, ${change}.`;
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

const share = (count: number, total: number) => percent.format(count / total);

/** Whether the flag is on for a context and why, as one sentence for each strategy. */
export function whyInWords(
  { evaluation, hasUnsatisfiedDependency, strategies }: Reasons,
  flag: FlagEnvironment,
  names: SegmentNames,
): string[] {
  const { enabled, variant } = evaluation;
  const outcome = `${enabled ? 'On' : 'Off'}${variant.enabled ? `, with the variant ${isolated(variant.name)}` : ''}`;
  if (!flag.enabled) return [`${outcome}, because the flag is off in ${flag.name}.`];
  if (hasUnsatisfiedDependency) return [`${outcome}, because of a flag that it depends on.`];
  if (strategies.length === 0) return [`${outcome}, without a strategy.`];
  return [`${outcome}.`, ...strategies.map((reason, index) => strategyInWords(reason, flag.strategies[index]!, names))];
}

function strategyInWords(reason: StrategyReason, strategy: Strategy, names: SegmentNames): string {
  const name = nameOf(strategy, names);
  const { result, constraints, segments } = reason;
  if (result.evaluationStatus === 'unevaluated') return `${name} is disabled.`;
  const failing = [
    ...strategy.constraints
      .filter((_, index) => !constraints[index])
      .map((each: Constraint) => constraintInWords(each)),
    ...segments.flatMap(({ definition, result: isIn }, index) =>
      isIn
        ? []
        : [`in the segment ${isolated(definition?.name ?? names.get(strategy.segments[index]!) ?? 'that is gone')}`],
    ),
  ];
  if (failing.length > 0) return `${name} does not match: it is not true that ${failing.join(', nor that ')}.`;
  if (result.evaluationStatus === 'incomplete') return `${name} is decided by the application.`;
  if (result.enabled) return `${name} matches.`;
  return `${name} does not match: the context is not among ${inWords({ ...strategy, constraints: [], segments: [] })}.`;
}
