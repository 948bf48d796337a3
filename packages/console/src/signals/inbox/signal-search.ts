import type { SignalFilters } from '../../api/signal-queries.ts';
import { daysOf, textsOf } from '../../app/texts-of.ts';

/** The narrowing of the inbox, as the address of the page has it. */
export interface SignalSearch {
  /** The id of a signal endpoint. */
  endpoint?: string;
  /** Whether an action set ran. */
  ran?: 'yes' | 'no';
  /** A path into the payload, `=` and the value there. */
  payload?: string;
  from?: string;
  to?: string;
}

const texts = ['endpoint', 'payload'] as const;

/** Takes what it knows from an address. */
export function parseSignalSearch(search: Record<string, unknown>): SignalSearch {
  const { ran } = search;
  return {
    ...textsOf(search, texts),
    ...daysOf(search, ['from', 'to']),
    ...((ran === 'yes' || ran === 'no') && { ran }),
  };
}

/** As the API's list takes it. */
export function toSignalFilters({ endpoint, ran, payload, from, to }: SignalSearch): SignalFilters {
  return {
    ...(endpoint && { sourceId: endpoint }),
    ...(ran && { hasRuns: ran === 'yes' ? 'true' : 'false' }),
    ...(payload && { payload }),
    ...(from && { from: `IS:${from}` }),
    ...(to && { to: `IS:${to}` }),
  };
}
