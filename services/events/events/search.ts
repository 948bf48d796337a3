import { type EventType, eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import { type Counter, searchPattern } from './event.ts';
import type { Visibility } from './visibility.ts';

/** Which events are asked for: those for which every filter holds, a filter of several values when one of them does. */
export interface Filters {
  ids?: readonly number[] | undefined;
  types?: readonly EventType[] | undefined;
  projects?: readonly string[] | undefined;
  features?: readonly string[] | undefined;
  environments?: readonly string[] | undefined;
  /** Ids of users. */
  createdBy?: readonly number[] | undefined;
  /** The first and the last day on which the events happened, in UTC: 2026-01-31. */
  from?: string | undefined;
  to?: string | undefined;
  query?: string | undefined;
}

/** Which of the matching events, newest first: `limit` of them from the id `startId` on (that one or older), `skip` left out before. */
export interface Page {
  limit: number;
  skip: number;
  startId?: number | undefined;
}

/** What somebody asks for and may see. Of searches that find the same the `key` is the same. */
export interface Search {
  filters: Filters;
  visibility: Visibility;
  key: string;
}

/** The search in its plainest form: filters that are given, values once and in order, and no limit of sight that changes nothing. */
export function searchFor(filters: Filters, visibility: Visibility): Search {
  const given = Object.entries(filters)
    .filter(([, values]) => values !== undefined && values !== '')
    .map(([name, values]) => [name, Array.isArray(values) ? [...new Set(values)].sort(byValue) : values] as const);
  const plain: Filters = Object.fromEntries(given);
  const isOfPeople = plain.types === undefined || plain.types.some((type) => eventTypesOfPeople.includes(type));
  const search = { filters: plain, visibility: isOfPeople ? visibility : 'everything' } as const;
  return { ...search, key: JSON.stringify([given.toSorted(([a], [b]) => byValue(a, b)), search.visibility]) };
}

function byValue<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The counters whose sum is the search's exact total: what is asked by one filter of type, project or flag, or by none. Null when no
 * counters hold it and the events must be counted.
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

/** The pattern of the free text that is searched; null for none. */
export function patternOf({ filters }: Search): string | null {
  return searchPattern(filters.query);
}
