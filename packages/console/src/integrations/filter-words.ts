import { eventLabel, eventTypes } from '@yardarm/shared/contracts/events/event-text';
import { isolated } from '../ui/direction.ts';
import { type Draft, every } from './draft.ts';

const known = new Set<string>(eventTypes);

const labelOf = (type: string) => (known.has(type) ? `“${eventLabel(type as (typeof eventTypes)[number])}”` : type);

/** A row names as many types at most. It gives the number of the others. */
const namedTypes = 3;

const lists = new Intl.ListFormat('en');

/** Which events, in words. */
export function eventsWords(events: readonly string[]): string {
  if (events.includes(every)) return 'every event';
  if (events.length === 0) return 'no event';
  const named = events.slice(0, events.length > namedTypes ? namedTypes - 1 : namedTypes).map(labelOf);
  const others = events.length - named.length;
  return `events ${lists.format(others === 0 ? named : [...named, `${others.toLocaleString()} other types`])}`;
}

/** Which projects or environments, in words. `noun` is the plural. */
export function placesWords(names: readonly string[], noun: string): string {
  if (names.length === 0 || names.includes(every)) return `all ${noun}`;
  return names.length <= 3 ? names.join(', ') : `${names.length.toLocaleString()} ${noun}`;
}

/** What an integration is sent, as a sentence. */
export function filterWords({
  events,
  projects,
  environments,
}: Pick<Draft, 'events' | 'projects' | 'environments'>): string {
  const places = `${placesWords(projects, 'projects')}, in ${placesWords(environments, 'environments')}`;
  return `Gets ${eventsWords(events)} of ${places}.`;
}

/** Where an integration sends to: the host of its URL, or its channels. Null if that is masked. */
export function destinationWords({ parameters }: Pick<Draft, 'parameters'>): string | null {
  const { url = '', defaultChannels, defaultChannel } = parameters;
  if (URL.canParse(url)) return `Sends to ${isolated(new URL(url).host)}.`;
  const channels = defaultChannels || defaultChannel;
  return channels ? `Sends to ${isolated(channels)}.` : null;
}
