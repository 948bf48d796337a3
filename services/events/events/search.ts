import { type EventType, eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import { type Counter, searchPattern } from './event.ts';
import type { Visibility } from './visibility.ts';

/** An event matches when every filter matches. A filter of several values matches when one of them does. */
export interface Filters {
  ids?: readonly number[] | undefined;
  types?: readonly EventType[] | undefined;
  projects?: readonly string[] | undefined;
  features?: readonly string[] | undefined;
  environments?: readonly string[] | undefined;
  /** The ids of users, one of whom created the event. */
  createdBy?: readonly number[] | undefined;
  /** The first and the last day of creation, in UTC: 2026-01-31. */
  from?: string | undefined;
  to?: string | undefined;
  query?: string | undefined;
}

/** The part of the matches, newest first: at most `limit` with an id up to `startId`, after `skip` of these. */
export interface Page {
  limit: number;
  skip: number;
  startId?: number | undefined;
}

/** Searches with the same matches have the same `key`. */
export interface Search {
  filters: Filters;
  visibility: Visibility;
  key: string;
}

/** Normalises a search: no empty filters, no duplicate values, no visibility that hides nothing. */
export function searchFor(filters: Filters, visibility: Visibility): Search {
  const given = Object.entries(filters)
    .filter(([, values]) => values !== undefined && values !== '')
    .map(([name, values]) => [name, Array.isArray(values) ? [...new Set(values)].sort(byValue) : values] as const);
  const normalised: Filters = Object.fromEntries(given);
  const isOfPeople =
    normalised.types === undefined || normalised.types.some((type) => eventTypesOfPeople.includes(type));
  const search = { filters: normalised, visibility: isOfPeople ? visibility : 'everything' } as const;
  return { ...search, key: JSON.stringify([given.toSorted(([a], [b]) => byValue(a, b)), search.visibility]) };
}

function byValue<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The counters whose sum is the exact total: of a search without filters, or with one filter by type, project or flag.
 * Null when the events must be counted.
 */
export function countersOf({
  filters,
  visibility,
}: Search): { kind: Counter['kind']; names: readonly string[] } | null {
  if (visibility !== 'everything') return null;
  const [name, second] = Object.keys(filters) as (keyof Filters)[];
  if (second !== undefined) return null;
  if (name === undefined) return { kind: 'total', names: [''] };
  const kind = ({ types: 'type', projects: 'project', features: 'feature' } as const)[name as 'types'];
  return kind === undefined ? null : { kind, names: filters[name] as readonly string[] };
}

export function patternOf({ filters }: Search): string | null {
  return searchPattern(filters.query);
}
