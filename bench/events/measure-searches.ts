import type { Database } from '@yardarm/shared/db';
import type { EventsTables } from '../../services/events/db/schema.ts';
import { KnownMatches } from '../../services/events/events/known-matches.ts';
import { searchFor } from '../../services/events/events/search.ts';
import { searchEvents } from '../../services/events/events/search-events.ts';
import { type SearchKind, searchKinds } from './search-kinds.ts';

export interface Measured {
  what: string;
  total: number;
  /** Milliseconds: the first time, by a replica that knows nothing, median of those; then of the searches after it. */
  first: number;
  p50: number;
  p99: number;
}

/** How often a replica is taken that knows nothing, and how often each of the last searches again. */
const firsts = 5;
const times = 200;

/** Pages of a hundred, one search at a time, of each kind; `db` is the login of the events service on a generated log. */
export async function measureSearches(
  db: Database<EventsTables>,
  onMeasured: (measured: Measured) => void = () => {},
): Promise<Measured[]> {
  const all: Measured[] = [];
  for (const kind of searchKinds) {
    const measured = await measureKind(db, kind);
    onMeasured(measured);
    all.push(measured);
  }
  return all;
}

async function measureKind(db: Database<EventsTables>, { what, filters, page }: SearchKind): Promise<Measured> {
  let known = new KnownMatches();
  let total = 0;
  const search = async (nth: number) => {
    const began = performance.now();
    const asked = searchFor(filters(nth), 'everything');
    const found = await searchEvents({ db, known }, asked, { limit: 100, skip: 0, ...page?.(nth) });
    total = found.total;
    return performance.now() - began;
  };
  const first: number[] = [];
  for (let nth = 0; nth < firsts; nth++) {
    known = new KnownMatches();
    first.push(await search(nth));
  }
  const later: number[] = [];
  for (let nth = 0; nth < times; nth++) later.push(await search(nth));
  return { what, total, first: quantile(first, 0.5), p50: quantile(later, 0.5), p99: quantile(later, 0.99) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
