import { daysOf, textsOf } from '../app/texts-of.ts';

/** The narrowing of the event log, as the address of the page has it. */
export interface EventSearch {
  q?: string;
  type?: string;
  project?: string;
  feature?: string;
  environment?: string;
  createdBy?: string;
  from?: string;
  to?: string;
}

const names = ['q', 'type', 'project', 'feature', 'environment', 'createdBy'] as const;

/** Takes what it knows from an address. */
export function parseEventSearch(search: Record<string, unknown>): EventSearch {
  return { ...textsOf(search, names), ...daysOf(search, ['from', 'to']) };
}

/** As the API's search takes it. */
export function toEventFilters({ q, from, to, ...rest }: EventSearch) {
  const is = Object.entries(rest).map(([name, value]) => [name, `IS:${value}`]);
  return {
    ...(Object.fromEntries(is) as Record<string, string>),
    ...(q && { query: q }),
    ...(from && { from: `IS:${from}` }),
    ...(to && { to: `IS:${to}` }),
  };
}
