import type { Page } from './search.ts';

/**
 * What is known of the events that a search finds: exact for the log from `firstId` to `upToId`. The log only grows at its end and
 * loses whole partitions at its beginning, so what is known stays true while the log begins there, and the next search of the same
 * looks at the events behind `upToId` alone.
 *
 *   few    every id, the newest first: any page is a part of them
 *   many   how many, and the newest; a page is found by going back from there, since one in `1 / share` events matches
 */
export type Matches = { firstId: number; upToId: number; total: number } & (
  | { ids: readonly number[] }
  | { newestId: number }
);

/**
 * What counts as few. One search in the log of a million going back over 50 events for each that matches finds a page of 100 in
 * 5,000, some milliseconds; as numbers the ids of one search are 160 kB.
 */
export const few = 20_000;

/** The matches with those behind them put on top; `newer` are their ids, newest first, or how many and the newest. */
export function extended(known: Matches, upToId: number, newer: NewerMatches): Matches {
  const { firstId } = known;
  const total = known.total + newer.total;
  if ('ids' in known && 'ids' in newer && total <= few) {
    return { firstId, upToId, total, ids: [...newer.ids, ...known.ids] };
  }
  const newestId = newestOf(newer) ?? newestOf(known) ?? 0;
  return { firstId, upToId, total, newestId };
}

/** The matches of a stretch of the log. */
export type NewerMatches = { total: number } & ({ ids: readonly number[] } | { newestId: number });

function newestOf(matches: NewerMatches): number | undefined {
  return 'ids' in matches ? matches.ids[0] : matches.newestId;
}

/** The page's part of all the ids, newest first. */
export function pageOf(ids: readonly number[], { limit, skip, startId }: Page): number[] {
  const start = startId === undefined ? 0 : ids.findIndex((id) => id <= startId);
  return start === -1 ? [] : ids.slice(start + skip, start + skip + limit);
}
