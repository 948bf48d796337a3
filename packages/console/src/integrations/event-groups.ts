import { eventAliases, eventLabel, eventTypes, eventTypesOfPeople } from '@yardarm/shared/contracts/events/event-text';

type EventType = (typeof eventTypes)[number];

export interface EventGroup {
  title: string;
  /** Its events tell of users and of what they may do. Only who may read them in the log can have them sent. */
  isOfPeople: boolean;
  types: { type: string; label: string }[];
}

const ofPeople = 'People, access, tokens and settings';

/** The first title whose pattern fits. The last one fits all. */
const titles: [title: string, pattern: RegExp][] = [
  ['Flags', /^(feature|strategy-order|drop-feature)/],
  ['Change requests', /^change-/],
  ['Projects', /^(project|default-strategy|drop-project)/],
  ['Environments', /^(environment|drop-environment)/],
  ['Strategies, segments, context and tags', /^(strategy|segment|context|tag|drop-(tag|strateg))/],
  ['Signals and actions', /^(signal|actions)/],
  ['Integrations and others', /^/],
];

function titleOf(type: EventType): string {
  if (eventTypesOfPeople.includes(type)) return ofPeople;
  return titles.find(([, pattern]) => pattern.test(type))![0];
}

/** Nothing emits an alias, so its label says what is sent. */
function labelOf(type: EventType): string {
  const sent = eventAliases.get(type);
  return sent === undefined ? eventLabel(type) : `${eventLabel(type)} (sends: ${eventLabel(sent)})`;
}

/** All event types by what they are about: suggested ones first, those of people last. */
export function eventGroups(suggested: readonly string[]): EventGroup[] {
  const groups = ['Suggested', ...titles.map(([title]) => title), ofPeople];
  const toShown = (types: EventType[]) =>
    types.map((type) => ({ type, label: labelOf(type) })).sort((a, b) => a.label.localeCompare(b.label));
  return groups.map((title) => ({
    title,
    isOfPeople: title === ofPeople,
    types: toShown(
      eventTypes.filter((type) => (suggested.includes(type) ? title === 'Suggested' : title === titleOf(type))),
    ),
  }));
}

/** The groups with what fits a search, by label or by type. */
export function foundIn(groups: readonly EventGroup[], search: string): EventGroup[] {
  const words = search.trim().toLowerCase();
  return groups
    .map(({ types, ...group }) => ({
      ...group,
      types: types.filter(({ type, label }) => `${type} ${label}`.toLowerCase().includes(words)),
    }))
    .filter(({ types }) => types.length > 0);
}

const known = new Set<string>(eventTypes);

/** Chosen values that are no type: beginnings such as `feature-*`, and types of another version. */
export function patternsIn(events: readonly string[]): string[] {
  return events.filter((event) => !known.has(event));
}
