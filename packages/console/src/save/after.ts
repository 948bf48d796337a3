import type { Schemas } from '../api/client.ts';
import { type FlagChange, type Strategy, type StrategySettings, settingsOf, type Tag, type Variant } from './change.ts';
import { dependOnSame } from './dependency-words.ts';
import { isSame } from './same.ts';

export type Flag = Schemas['featureSchema'];
export type FlagEnvironment = Schemas['featureEnvironmentSchema'];

/** The strategy that the server adds when a flag without an enabled one is switched on, if the project has no other. */
const forEverybody: StrategySettings = {
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  segments: [],
  constraints: [],
  variants: [],
  parameters: { rollout: '100', stickiness: 'default' },
};

/** What an environment of the flag has once the change is applied, as the server does it. */
export function environmentAfter(
  flag: FlagEnvironment,
  change: FlagChange,
  projectDefault: StrategySettings = forEverybody,
): FlagEnvironment {
  if (change.kind === 'archive') return { ...flag, enabled: false };
  if (!('environment' in change) || change.environment !== flag.name) return flag;
  switch (change.kind) {
    case 'switch':
      return change.isOn ? switchedOn(flag, projectDefault) : { ...flag, enabled: false };
    case 'add-strategy':
      return { ...flag, strategies: sorted([...flag.strategies, withId(change.strategy, flag, change.sortOrder)]) };
    case 'edit-strategy':
      return offWithoutStrategy({
        ...flag,
        strategies: flag.strategies.map((each) => (each.id === change.before.id ? { ...each, ...change.after } : each)),
      });
    case 'delete-strategy':
      return offWithoutStrategy({
        ...flag,
        strategies: flag.strategies.filter(({ id }) => id !== change.before.id),
      });
    case 'order-strategies': {
      const places = new Map(change.after.map(({ id }, sortOrder) => [id, sortOrder]));
      const moved = flag.strategies.map((each) => ({ ...each, sortOrder: places.get(each.id) ?? each.sortOrder }));
      return { ...flag, strategies: sorted(moved) };
    }
    case 'variants':
      return { ...flag, variants: change.after };
  }
}

/** Whether the server adds the default strategy when the flag is switched on there. */
export const lacksStrategy = ({ strategies }: FlagEnvironment) => strategies.every(({ disabled }) => disabled);

/** The environment of the flag once it is switched on there. */
export function switchedOn(flag: FlagEnvironment, projectDefault: StrategySettings = forEverybody): FlagEnvironment {
  if (!lacksStrategy(flag)) return { ...flag, enabled: true };
  const added = withId({ ...projectDefault, disabled: false }, flag);
  return { ...flag, enabled: true, strategies: [...flag.strategies, added] };
}

/** A flag without an enabled strategy is switched off there. */
function offWithoutStrategy(flag: FlagEnvironment): FlagEnvironment {
  return { ...flag, enabled: flag.enabled && !lacksStrategy(flag) };
}

function withId(settings: StrategySettings, { strategies, featureName }: FlagEnvironment, place?: number): Strategy {
  const sortOrder = place ?? Math.max(-1, ...strategies.map((each) => each.sortOrder)) + 1;
  return { ...settings, id: 'new', featureName, sortOrder };
}

function sorted(strategies: Strategy[]): Strategy[] {
  return strategies.toSorted((one, other) => one.sortOrder - other.sortOrder);
}

/** Whether the change says what the person saw, so that it can be compared with what the server has. */
export function canConflict(change: FlagChange): boolean {
  return 'before' in change;
}

/** What somebody else has changed of the same since the change was begun; null if nothing. */
export function conflictOf(change: FlagChange, now: Flag): 'gone' | 'changed' | null {
  switch (change.kind) {
    case 'edit-strategy':
    case 'delete-strategy': {
      const strategy = strategiesOf(now, change.environment).find(({ id }) => id === change.before.id);
      if (strategy === undefined) return 'gone';
      return isSame(settingsOf(strategy), settingsOf(change.before)) ? null : 'changed';
    }
    case 'order-strategies': {
      return isSame(idsOf(strategiesOf(now, change.environment)), idsOf(change.before)) ? null : 'changed';
    }
    case 'variants':
      return isSame(variantsOf(now, change.environment), change.before) ? null : 'changed';
    case 'dependencies':
      return dependOnSame(now.dependencies, change.before) ? null : 'changed';
    case 'link': {
      if (change.before === null) return null;
      const link = linkWithId(now, change.before.id);
      if (link === undefined) return 'gone';
      return isSame(link, change.before) ? null : 'changed';
    }
    case 'settings': {
      const names = Object.keys(change.before) as (keyof typeof change.before)[];
      return names.every((name) => isSame(now[name], change.before[name])) ? null : 'changed';
    }
    default:
      return null;
  }
}

/**
 * The same change, of what the server has now. It overwrites what somebody else has done. A strategy or link that was
 * edited and is gone is added again.
 */
export function rebased(change: FlagChange, now: Flag): FlagChange {
  switch (change.kind) {
    case 'edit-strategy':
    case 'delete-strategy': {
      const before = strategiesOf(now, change.environment).find(({ id }) => id === change.before.id);
      if (before !== undefined) return { ...change, before };
      if (change.kind === 'delete-strategy') return change;
      const { environment, environmentType, after } = change;
      return { kind: 'add-strategy', environment, environmentType, strategy: after };
    }
    case 'order-strategies': {
      const present = strategiesOf(now, change.environment);
      const wanted = change.after.flatMap(({ id }) => present.find((each) => each.id === id) ?? []);
      return { ...change, before: present, after: [...wanted, ...present.filter((each) => !wanted.includes(each))] };
    }
    case 'variants':
      return { ...change, before: variantsOf(now, change.environment) };
    case 'dependencies':
      return { ...change, before: now.dependencies };
    case 'link': {
      const before = change.before && (linkWithId(now, change.before.id) ?? null);
      return before === null && change.after === null ? change : { ...change, before };
    }
    case 'settings':
      return {
        ...change,
        before: Object.fromEntries(Object.keys(change.before).map((name) => [name, now[name as keyof Flag]])),
      };
    default:
      return change;
  }
}

function strategiesOf(flag: Flag, environment: string): Strategy[] {
  return flag.environments.find(({ name }) => name === environment)?.strategies ?? [];
}

function variantsOf(flag: Flag, environment: string): Variant[] {
  return flag.environments.find(({ name }) => name === environment)?.variants ?? [];
}

const linkWithId = ({ links }: Flag, wanted: string) => links.find(({ id }) => id === wanted);

/** Whether the flag is as the change makes it; null if that cannot be seen. */
export function isDone(change: FlagChange, now: Flag): boolean | null {
  switch (change.kind) {
    case 'switch':
      return now.environments.some(({ name, enabled }) => name === change.environment && enabled === change.isOn);
    case 'add-strategy':
      // There may have been an equal one.
      return null;
    case 'edit-strategy': {
      const strategy = strategiesOf(now, change.environment).find(({ id }) => id === change.before.id);
      return strategy !== undefined && isSame(settingsOf(strategy), settingsOf(change.after));
    }
    case 'delete-strategy':
      return strategiesOf(now, change.environment).every(({ id }) => id !== change.before.id);
    case 'order-strategies':
      return isSame(idsOf(strategiesOf(now, change.environment)), idsOf(change.after));
    case 'variants':
      return isSame(variantsOf(now, change.environment), change.after);
    case 'dependencies':
      return dependOnSame(now.dependencies, change.after);
    case 'link': {
      // There may have been an equal one.
      if (change.before === null) return null;
      const link = linkWithId(now, change.before.id);
      return change.after === null
        ? link === undefined
        : link !== undefined && isSame(link, { ...link, ...change.after });
    }
    case 'settings':
      return Object.entries(change.after).every(([name, value]) => isSame(now[name as keyof Flag], value));
    case 'tags':
      return change.added.every((tag) => hasTag(now, tag)) && !change.removed.some((tag) => hasTag(now, tag));
    case 'complete':
      return now.lifecycle.stage === 'completed' && now.lifecycle.status === change.status;
    case 'uncomplete':
      return now.lifecycle.stage !== 'completed';
    case 'archive':
      return now.archived;
    case 'revive':
      return !now.archived;
  }
}

const idsOf = (strategies: Strategy[]) => strategies.map(({ id }) => id);

const hasTag = ({ tags }: Flag, tag: Tag) => tags.some(({ type, value }) => type === tag.type && value === tag.value);
