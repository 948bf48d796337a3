import type { EventType } from '@yardarm/shared/contracts/events';
import type { LogEvent } from '../../api/queries.ts';
import type { Flag, FlagEnvironment } from '../../save/after.ts';
import type { Strategy, Tag } from '../../save/change.ts';
import { nameOf } from '../../save/words.ts';

export interface PastEnvironment extends Pick<FlagEnvironment, 'name' | 'type' | 'strategies' | 'variants'> {
  /** Null if it is not known. */
  enabled: boolean | null;
}

/** What a flag was at a moment, as far as its events say it. */
export interface PastFlag
  extends Pick<Flag, 'project' | 'type' | 'description' | 'stale' | 'impressionData' | 'archived' | 'tags'> {
  links: { url: string; title: string | null }[];
  dependencies: Flag['dependencies'];
  environments: PastEnvironment[];
}

export interface Past {
  /** Null if there was no flag of the name. */
  flag: PastFlag | null;
  /** What the events do not say, each a sentence. */
  unknown: string[];
}

interface Draft extends PastFlag {
  /** What the flag had in environments that the project did not have at this point of the way back. */
  hidden: Map<string, PastEnvironment>;
  /** The environments whose strategies had another order before this point. */
  reordered: Set<string>;
}

/** An event without the state before it. */
class NotSaid extends Error {}

/** Takes an event back. Returns what is not known of the state before it; throws NotSaid if that is all of it. */
type Undo = (flag: Draft, event: LogEvent) => string | undefined;

const changesNothing: Undo = () => undefined;

const undoSwitch =
  (enabled: boolean): Undo =>
  (flag, event) =>
    changeEnvironment(flag, event, () => ({ enabled }));

const undoStale =
  (stale: boolean): Undo =>
  (flag) =>
    void Object.assign(flag, { stale });

/**
 * How each type of event is taken back. Every type that concerns a flag or its project has a row. An operation that
 * changes nothing emits nothing, so a flag that was switched on was off before.
 */
export const undos: Partial<Record<EventType, Undo>> = {
  'feature-metadata-updated': (flag, event) => {
    const { type, description, impressionData, links } = said<PastFlag>(event.preData, ['type']);
    Object.assign(flag, { type, description, impressionData, ...(links && { links: linksOf(links) }) });
    return undefined;
  },
  'feature-stale-on': undoStale(false),
  'feature-stale-off': undoStale(true),
  'feature-archived': (flag) => void Object.assign(flag, { archived: false }),
  'feature-revived': (flag) => void Object.assign(flag, { archived: true }),
  'feature-project-change': (flag, { data }) => {
    flag.project = said<{ oldProject: string }>(data, ['oldProject']).oldProject;
    // The move has deleted what the flag had in environments that the old project had removed.
    flag.hidden.clear();
    return undefined;
  },

  'feature-tagged': (flag, { data }) => {
    const tag = said<Tag>(data, ['type', 'value']);
    flag.tags = flag.tags.filter((each) => !isTag(each, tag));
    return undefined;
  },
  'feature-untagged': (flag, { data }) => {
    const { type, value } = said<Tag>(data, ['type', 'value']);
    flag.tags = [...flag.tags.filter((each) => !isTag(each, { type, value })), { type, value }];
    return undefined;
  },

  'feature-dependency-added': (flag, { data, preData }) => {
    setParent(flag, said<Parent>(data, ['feature']).feature, preData as Parent | null);
    return undefined;
  },
  'feature-dependency-removed': (flag, { preData }) => {
    const parent = said<Parent>(preData, ['feature']);
    setParent(flag, parent.feature, parent);
    return undefined;
  },
  'feature-dependencies-removed': (flag, { preData }) => {
    flag.dependencies = said<PastFlag>(preData, ['dependencies']).dependencies;
    return undefined;
  },

  'feature-environment-enabled': undoSwitch(false),
  'feature-environment-disabled': undoSwitch(true),
  'feature-environment-variants-updated': (flag, event) => {
    const { variants } = said<PastEnvironment>(event.preData, ['variants']);
    return changeEnvironment(flag, event, () => ({ variants }));
  },
  'feature-strategy-add': (flag, event) => {
    const { id } = said<Strategy>(event.data, ['id']);
    return changeEnvironment(flag, event, ({ strategies }) => ({
      strategies: strategies.filter((each) => each.id !== id),
    }));
  },
  'feature-strategy-update': (flag, event) => {
    const before = said<Strategy>(event.preData, ['id', 'name']);
    return changeEnvironment(flag, event, ({ strategies }) => ({ strategies: withStrategy(strategies, before) }));
  },
  'feature-strategy-remove': (flag, event) => {
    const before = said<Strategy>(event.preData, ['id', 'name']);
    changeEnvironment(flag, event, ({ strategies }) => ({ strategies: withStrategy(strategies, before) }));
    const isPlaceKnown = event.environment === null || !flag.reordered.has(event.environment);
    return isPlaceKnown
      ? undefined
      : `The place of the strategy ${nameOf(before)} among those of ${event.environment} is not known.`;
  },
  'strategy-order-changed': (flag, event) => {
    const { strategyIds } = said<{ strategyIds: string[] }>(event.preData, ['strategyIds']);
    if (event.environment !== null) flag.reordered.add(event.environment);
    return changeEnvironment(flag, event, ({ strategies }) => ({ strategies: inOrderOf(strategies, strategyIds) }));
  },

  'project-environment-added': (flag, { project, environment: name }) => {
    const present = flag.environments.find((each) => each.name === name);
    if (project !== flag.project || present === undefined) return undefined;
    flag.hidden.set(present.name, present);
    flag.environments = flag.environments.filter((each) => each !== present);
    return undefined;
  },
  'project-environment-removed': (flag, { project, environment: name }) => {
    if (project !== flag.project || name === null) return undefined;
    const before = flag.hidden.get(name);
    if (before === undefined) return `What the flag had in ${name} is not known: the project removed it later.`;
    // The flag returned off, and without an event that says so.
    flag.environments = [...flag.environments, { ...before, enabled: null }];
    // A strategy whose segment or type was gone returned disabled.
    return before.strategies.some(({ disabled }) => disabled)
      ? `Whether the disabled strategies of ${name} were in use is not known: the project removed it later.`
      : undefined;
  },
  'environment-deleted': (flag, { environment }) => {
    if (environment !== null) flag.hidden.delete(environment);
    return undefined;
  },

  // Before it there was no flag, so the way back ends there.
  'feature-created': changesNothing,
  'feature-deleted': changesNothing,
  // The other events of an import say what it changed.
  'feature-import': changesNothing,
  'feature-tag-import': changesNothing,
  'features-imported': changesNothing,
  // Nothing emits these.
  'feature-updated': changesNothing,
  'feature-variants-updated': changesNothing,
  // These change what is not shown here: lifecycle, favourites, requests and the project.
  'feature-completed': changesNothing,
  'feature-uncompleted': changesNothing,
  'feature-potentially-stale-on': changesNothing,
  'feature-favorited': changesNothing,
  'feature-unfavorited': changesNothing,
  'change-request-created': changesNothing,
  'change-request-discarded': changesNothing,
  'change-added': changesNothing,
  'change-discarded': changesNothing,
  'change-edited': changesNothing,
  'change-request-rejected': changesNothing,
  'change-request-approved': changesNothing,
  'change-request-approval-added': changesNothing,
  'change-request-cancelled': changesNothing,
  'change-request-sent-to-review': changesNothing,
  'change-request-schedule-suspended': changesNothing,
  'change-request-applied': changesNothing,
  'change-request-scheduled': changesNothing,
  'change-request-scheduled-application-success': changesNothing,
  'change-request-scheduled-application-failure': changesNothing,
  'change-request-configuration-updated': changesNothing,
  'project-created': changesNothing,
  'project-updated': changesNothing,
  'project-deleted': changesNothing,
  'project-archived': changesNothing,
  'project-revived': changesNothing,
  'project-favorited': changesNothing,
  'project-unfavorited': changesNothing,
  'default-strategy-updated': changesNothing,
};

/** The types of the events without a flag that say which environments its project had. */
export const typesOfPlaces = ['project-environment-added', 'project-environment-removed', 'environment-deleted'];

/**
 * What a flag was at a moment: what it is now, with the events after that moment taken back, the newest first. `events`
 * are those of the flag and of environments since then.
 */
export function pastOf(now: Flag, events: readonly LogEvent[], at: number): Past {
  const { project, type, description, stale, impressionData, archived, tags, links, dependencies } = now;
  const flag: Draft = {
    ...{ project, type, description, stale, impressionData, archived, tags, dependencies },
    links: linksOf(links),
    environments: now.environments.map(({ name, type: environmentType, enabled, strategies, variants }) => ({
      ...{ name, type: environmentType, enabled, strategies, variants },
    })),
    hidden: new Map(),
    reordered: new Set(),
  };
  const unknown: string[] = [];
  const later = events.filter(({ createdAt }) => Date.parse(createdAt) > at).sort((one, other) => other.id - one.id);
  for (const event of later) {
    if (event.type === 'feature-created') {
      const hadEarlier = later.some((each) => each.type === 'feature-deleted' && each.id < event.id);
      return { flag: null, unknown: hadEarlier ? ['An earlier flag had this name. What it was is not known.'] : [] };
    }
    try {
      const sentence = undos[event.type]?.(flag, event);
      if (sentence !== undefined) unknown.push(sentence);
    } catch (error) {
      if (!(error instanceof NotSaid)) throw error;
      const where = event.environment === null ? '' : ` in ${event.environment}`;
      unknown.push(`Event ${event.id} (${event.label}${where}) does not say what was before it.`);
    }
  }
  for (const { name, enabled } of flag.environments) {
    if (enabled === null) unknown.push(`Whether it was on in ${name} is not known: the project removed it later.`);
  }
  const { hidden: _hidden, reordered: _reordered, ...found } = flag;
  return { flag: found, unknown };
}

const linksOf = (links: PastFlag['links']) => links.map(({ url, title }) => ({ url, title }));

type Parent = Flag['dependencies'][number];

/** The data of an event, if it has the named properties. Events of older releases may lack some. */
function said<Data>(data: LogEvent['data'], names: readonly (keyof Data & string)[]): Data {
  if (data === null || names.some((name) => data[name] === undefined)) throw new NotSaid();
  return data as Data;
}

/** What the flag had in an environment that is not known stays unknown. */
function changeEnvironment(
  flag: Draft,
  { environment }: LogEvent,
  change: (before: PastEnvironment) => Partial<PastEnvironment>,
): undefined {
  flag.environments = flag.environments.map((each) =>
    each.name === environment ? { ...each, ...change(each) } : each,
  );
}

function withStrategy(strategies: readonly Strategy[], strategy: Strategy): Strategy[] {
  return [...strategies.filter(({ id }) => id !== strategy.id), strategy].sort(
    (one, other) => one.sortOrder - other.sortOrder,
  );
}

function inOrderOf(strategies: readonly Strategy[], ids: readonly string[]): Strategy[] {
  return strategies
    .toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
    .map((strategy, sortOrder) => ({ ...strategy, sortOrder }));
}

function setParent(flag: Draft, name: string, parent: Parent | null): void {
  const others = flag.dependencies.filter(({ feature }) => feature !== name);
  flag.dependencies = parent === null ? others : [...others, parent];
}

const isTag = (one: Tag, other: Tag) => one.type === other.type && one.value === other.value;
