import { eventLabel, eventTypes } from '@yardarm/shared/contracts/events/event-text';

type EventType = (typeof eventTypes)[number];

export interface EventGroup {
  title: string;
  types: { type: string; label: string }[];
}

/** The first title whose pattern fits. The last one fits all. */
const titles: [title: string, pattern: RegExp][] = [
  ['Change requests', /^change-/],
  ['Flags', /^(feature|strategy-order|drop-feature)/],
  ['Projects and access', /^(project|default-strategy|drop-project)/],
  ['Environments', /^(environment|drop-environment)/],
  ['Strategies, segments, context and tags', /^(strategy|segment|context|tag|drop-(tag|strateg))/],
  ['People, roles and tokens', /^(user|group|role|pat|api-token|service-account|public-signup)/],
  ['Signals and actions', /^(signal|actions)/],
  ['Integrations, settings and others', /^/],
];

const titleOf = (type: EventType) => titles.find(([, pattern]) => pattern.test(type))![0];

/** All event types by what they are about: suggested ones first, then each title in the order above. */
export function eventGroups(suggested: readonly string[]): EventGroup[] {
  const groups = ['Suggested', 'Flags', ...titles.map(([title]) => title).filter((title) => title !== 'Flags')];
  const toShown = (types: EventType[]) =>
    types.map((type) => ({ type, label: eventLabel(type) })).sort((a, b) => a.label.localeCompare(b.label));
  return groups.map((title) => ({
    title,
    types: toShown(
      eventTypes.filter((type) => (suggested.includes(type) ? title === 'Suggested' : title === titleOf(type))),
    ),
  }));
}

/** The groups with what fits a search, by label or by type. */
export function foundIn(groups: readonly EventGroup[], search: string): EventGroup[] {
  const words = search.trim().toLowerCase();
  return groups
    .map(({ title, types }) => ({
      title,
      types: types.filter(({ type, label }) => `${type} ${label}`.toLowerCase().includes(words)),
    }))
    .filter(({ types }) => types.length > 0);
}

const known = new Set<string>(eventTypes);

/** Chosen values that are no type: beginnings such as `feature-*`, and types of another version. */
export function patternsIn(events: readonly string[]): string[] {
  return events.filter((event) => !known.has(event));
}
