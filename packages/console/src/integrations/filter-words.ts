import { eventLabel, eventTypes } from '@yardarm/shared/contracts/events/event-text';
import { every } from './draft.ts';

const known = new Set<string>(eventTypes);

/** Which events, in words. */
export function eventsWords(events: readonly string[]): string {
  if (events.includes(every)) return 'every event';
  const [only, ...others] = events;
  if (only === undefined) return 'no event';
  if (others.length > 0) return `${events.length.toLocaleString()} types of events`;
  return known.has(only) ? `events “${eventLabel(only as (typeof eventTypes)[number])}”` : `events ${only}`;
}

/** Which projects or environments, in words. `noun` is the plural. */
export function placesWords(names: readonly string[], noun: string): string {
  if (names.length === 0 || names.includes(every)) return `all ${noun}`;
  return names.length <= 3 ? names.join(', ') : `${names.length.toLocaleString()} ${noun}`;
}
