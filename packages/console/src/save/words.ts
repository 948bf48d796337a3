import { constraintInWords, inWords, parameterWords, type SegmentNames } from '../flag/strategy-words.ts';
import { isolated } from '../ui/direction.ts';
import {
  type Constraint,
  type EditOfStrategy,
  type FlagChange,
  type FlagSettings,
  type LinkSettings,
  type StrategySettings,
  settingsOf,
  type Tag,
  type Target,
} from './change.ts';
import { dependenciesChanged } from './dependency-words.ts';
import { isSame } from './same.ts';
import { variantsChanged } from './variant-words.ts';

const settingWords: Record<keyof FlagSettings, string> = {
  description: 'description',
  type: 'type',
  impressionData: 'impression data',
  stale: 'staleness',
};

/** What the change does, as a sentence that goes on after "This". */
export function describeChange(target: Target, change: FlagChange, names?: SegmentNames): string {
  const phrases = phrasesOf(target, change, names).map(({ verb, rest }) => `${verb} ${rest}`);
  return list(phrases) + consequenceOf(change);
}

/** What the change has done, as a whole sentence. */
export function describeDone(target: Target, change: FlagChange, names?: SegmentNames): string {
  const isOff = change.kind === 'archive' || change.kind === 'revive';
  return asSentence(pastWords(phrasesOf(target, change, names))) + (isOff ? ' It is off in every environment.' : '');
}

/** What is said of a change that failed, as whole sentences. */
export interface Attempt {
  notDone: string;
  unknown: string;
}

export function describeAttempt(target: Target, change: FlagChange, names?: SegmentNames): Attempt {
  const phrases = phrasesOf(target, change, names);
  return {
    notDone: `Did not ${list(phrases.map(({ verb, rest }) => `${plainOf(verb)} ${rest}`))}.`,
    unknown: `It is unknown whether this ${pastWords(phrases)}.`,
  };
}

const pastWords = (phrases: readonly Phrase[]) => list(phrases.map(({ verb, rest }) => `${pastOf[verb]} ${rest}`));

const plainOf = (verb: Phrase['verb']) => (verb === 'switches' ? 'switch' : verb.slice(0, -1));

/** Each verb of a change, and what it is once it is done. */
export const pastOf = {
  switches: 'switched',
  adds: 'added',
  changes: 'changed',
  disables: 'disabled',
  enables: 'enabled',
  deletes: 'deleted',
  removes: 'removed',
  marks: 'marked',
  archives: 'archived',
  revives: 'revived',
} as const;

/** A verb, and what it is about. */
export interface Phrase {
  verb: keyof typeof pastOf;
  rest: string;
}

export const asSentence = (words: string) => `${words[0]!.toUpperCase()}${words.slice(1)}.`;

function consequenceOf({ kind }: FlagChange): string {
  if (kind === 'archive') return ', which switches it off in every environment';
  return kind === 'revive' ? ', which is off in every environment then' : '';
}

function phrasesOf({ feature }: Target, change: FlagChange, names?: SegmentNames): Phrase[] {
  const named = (strategy: StrategySettings) => `the strategy ${nameOf(strategy, names)}`;
  switch (change.kind) {
    case 'switch':
      return [{ verb: 'switches', rest: `${feature} ${change.isOn ? 'on' : 'off'} in ${change.environment}` }];
    case 'add-strategy':
      return [{ verb: 'adds', rest: `${named(change.strategy)} to ${feature} in ${change.environment}` }];
    case 'edit-strategy': {
      const rest = `${named(change.before)} of ${feature} in ${change.environment}`;
      return [{ verb: verbOfEdit(change), rest }];
    }
    case 'delete-strategy':
      return [{ verb: 'deletes', rest: `${named(change.before)} of ${feature} in ${change.environment}` }];
    case 'order-strategies':
      return [{ verb: 'changes', rest: `the order of the strategies of ${feature} in ${change.environment}` }];
    case 'variants':
      return [{ verb: 'changes', rest: `the variants of ${feature} in ${change.environment}` }];
    case 'dependencies':
      return [{ verb: 'changes', rest: `what ${feature} depends on` }];
    case 'link': {
      const { before, after } = change;
      const name = `the link “${isolated(before?.title || before?.url || after?.title || after?.url || '')}”`;
      if (before === null) return [{ verb: 'adds', rest: `${name} to ${feature}` }];
      return [
        after === null
          ? { verb: 'removes', rest: `${name} from ${feature}` }
          : { verb: 'changes', rest: `${name} of ${feature}` },
      ];
    }
    case 'settings': {
      const changed = Object.keys(change.after) as (keyof FlagSettings)[];
      if (changed.length === 1 && changed[0] === 'stale') {
        return [{ verb: 'marks', rest: `${feature} as ${change.after.stale ? 'stale' : 'no longer stale'}` }];
      }
      return [{ verb: 'changes', rest: `the ${list(changed.map((name) => settingWords[name]))} of ${feature}` }];
    }
    case 'tags': {
      const { added, removed } = change;
      return [
        ...(added.length > 0 ? [{ verb: 'adds' as const, rest: `${tagsInWords(added)} to ${feature}` }] : []),
        ...(removed.length > 0 ? [{ verb: 'removes' as const, rest: `${tagsInWords(removed)} from ${feature}` }] : []),
      ];
    }
    case 'complete':
      return [{ verb: 'marks', rest: `${feature} as completed: its feature is ${change.status}` }];
    case 'uncomplete':
      return [{ verb: 'marks', rest: `${feature} as live again` }];
    case 'archive':
      return [{ verb: 'archives', rest: feature }];
    case 'revive':
      return [{ verb: 'revives', rest: feature }];
  }
}

/** Each difference of an edit as a sentence, from old to new. */
export function detailsOf(change: FlagChange, names?: SegmentNames): string[] {
  switch (change.kind) {
    case 'add-strategy':
      return [
        ...meaningIfTitled(change.strategy, 'It is on for', names),
        ...variantsChanged([], change.strategy.variants),
      ];
    case 'delete-strategy':
      return meaningIfTitled(change.before, 'It was on for', names);
    case 'edit-strategy':
      return strategyChanged(change.before, change.after, names);
    case 'order-strategies':
      return [
        `The order becomes: ${change.after.map((each, index) => `${index + 1}. ${nameOf(each, names)}`).join(', ')}.`,
      ];
    case 'variants':
      return variantsChanged(change.before, change.after);
    case 'dependencies':
      return dependenciesChanged(change.before, change.after);
    case 'link':
      return linkChanged(change.before, change.after);
    case 'settings':
      return (Object.keys(change.after) as (keyof FlagSettings)[]).map((name) =>
        becomes(`The ${settingWords[name]}`, shown(change.before[name]), shown(change.after[name])),
      );
    case 'complete':
      return [
        'SDKs see no change: where the flag is on, it stays on. It can be taken out of the code now, and archived.',
      ];
    case 'uncomplete':
      return ['SDKs see no change.'];
    default:
      return [];
  }
}

/** A link that is removed is named by the sentence before. */
function linkChanged(before: LinkSettings | null, after: LinkSettings | null): string[] {
  if (after === null) return [];
  return [
    ...(before?.url === after.url ? [] : [becomes('The address', shown(before?.url), shown(after.url))]),
    ...((before?.title ?? null) === after.title
      ? []
      : [becomes('The title', shown(before?.title), shown(after.title))]),
  ];
}

function meaningIfTitled(strategy: StrategySettings, verb: string, names?: SegmentNames): string[] {
  return strategy.title ? [`${verb} ${inWords(strategy, names)}.`] : [];
}

/** Each difference of two strategies as a sentence. */
export function strategyChanged(before: StrategySettings, after: StrategySettings, names?: SegmentNames): string[] {
  const nameOfSegment = (id: number) => isolated(names?.get(id) ?? `number ${id}`);
  const parameters = [...new Set([...Object.keys(before.parameters), ...Object.keys(after.parameters)])];
  return [
    ...(before.name === after.name ? [] : [becomes('The type', before.name, after.name)]),
    ...((before.title ?? '') === (after.title ?? '')
      ? []
      : [becomes('The title', shown(before.title), shown(after.title))]),
    ...parameters.flatMap((name) => {
      const [old, now] = [before.parameters[name] ?? '', after.parameters[name] ?? ''];
      const unit = name === 'rollout' || name === 'percentage' ? ' %' : '';
      return old === now
        ? []
        : [becomes(`The ${parameterWords[name] ?? isolated(name)}`, shown(old, unit), shown(now, unit))];
    }),
    ...constraintsChanged(before.constraints, after.constraints),
    ...after.segments
      .filter((id) => !before.segments.includes(id))
      .map((id) => `It is now only for the segment ${nameOfSegment(id)}.`),
    ...before.segments
      .filter((id) => !after.segments.includes(id))
      .map((id) => `The segment ${nameOfSegment(id)} is no longer required.`),
    ...variantsChanged(before.variants, after.variants),
    ...(before.disabled === after.disabled ? [] : [after.disabled ? 'It is no longer used.' : 'It is used again.']),
  ];
}

function constraintsChanged(before: Constraint[], after: Constraint[]): string[] {
  const gone = before.filter((old) => !after.some((now) => isSame(meaningOf(now), meaningOf(old))));
  const come = after.filter((now) => !before.some((old) => isSame(meaningOf(old), meaningOf(now))));
  const edited = gone.flatMap((old) => {
    const index = come.findIndex((now) => now.contextName === old.contextName && now.operator === old.operator);
    return index < 0 ? [] : [[old, come.splice(index, 1)[0]!] as const];
  });
  const removed = gone.filter((old) => !edited.some(([was]) => was === old));
  return [
    ...edited.map(
      ([old, now]) => becomes('The constraint', constraintInWords(old), constraintInWords(now)) + moved(old, now),
    ),
    ...removed.map((old) => `The constraint ${constraintInWords(old)} is removed.`),
    ...come.map((now) => `The constraint ${constraintInWords(now)} is added.`),
  ];
}

/** How many values came and went, for lists that words do not show whole. */
function moved({ values: before = [] }: Constraint, { values: after = [] }: Constraint): string {
  const [old, now] = [new Set(before), new Set(after)];
  const counts = [
    [now.difference(old).size, 'added'],
    [old.difference(now).size, 'removed'],
  ] as const;
  const words = counts.flatMap(([count, verb]) =>
    count > 0 ? [`${count === 1 ? 'One value' : `${count} values`} ${verb}.`] : [],
  );
  return words.length > 0 && Math.max(before.length, after.length) > 3 ? ` ${words.join(' ')}` : '';
}

/** A stored constraint has an empty list beside its value, and a sent one has not. */
const meaningOf = ({ contextName, operator, inverted, caseInsensitive, values = [], value = '' }: Constraint) => ({
  ...{ contextName, operator, inverted: Boolean(inverted), caseInsensitive: Boolean(caseInsensitive), values, value },
});

function verbOfEdit({ before, after }: EditOfStrategy): Phrase['verb'] {
  const isOnlySwitched =
    before.disabled !== after.disabled && isSame({ ...after, disabled: before.disabled }, settingsOf(before));
  if (!isOnlySwitched) return 'changes';
  return after.disabled ? 'disables' : 'enables';
}

/** By its title, else by its meaning. */
export function nameOf(strategy: StrategySettings, names?: SegmentNames): string {
  return `“${strategy.title ? isolated(strategy.title) : inWords(strategy, names)}”`;
}

export function becomes(subject: string, old: string, now: string): string {
  return `${subject}: ${old} → ${now}.`;
}

export function shown(value: string | boolean | null | undefined, unit = ''): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value ? `“${isolated(value)}${unit}”` : 'none';
}

function tagsInWords(tags: Tag[]): string {
  return `the ${tags.length === 1 ? 'tag' : 'tags'} ${list(tags.map(({ type, value }) => `${type}:${isolated(value)}`))}`;
}

const lists = new Intl.ListFormat('en');

export function list(words: string[]): string {
  return lists.format(words);
}
