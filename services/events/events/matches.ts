import type { Page } from './search.ts';

/**
 * The matches of a search, exact for the log from `firstId` to `upToId`. The log grows only at its end and loses whole
 * partitions only at its beginning. The matches therefore stay exact while the log begins with `firstId`, and the next
 * equal search reads only the events after `upToId`.
 *
 *   few    `ids` lists every match, newest first; any page is a part of it
 *   many   `total` and `newestId`; a page is found by reading backwards from there, since matches are frequent
 */
export type Matches = { firstId: number; upToId: number; total: number } & (
  | { ids: readonly number[] }
  | { newestId: number }
);

/**
 * The limit of few. In a log of a million, a search with more matches reads at most 50 events per match. It finds a
 * page of 100 within 5,000 events, in some milliseconds. The ids of one search take 160 kB.
 */
export const maxListedIds = 20_000;

/** Adds the matches of newer events; ids are newest first. */
export function extendMatches(known: Matches, upToId: number, newer: NewerMatches): Matches {
  const { firstId } = known;
  const total = known.total + newer.total;
  if ('ids' in known && 'ids' in newer && total <= maxListedIds) {
    return { firstId, upToId, total, ids: [...newer.ids, ...known.ids] };
  }
  const newestId = newestOf(newer) ?? newestOf(known) ?? 0;
  return { firstId, upToId, total, newestId };
}

export type NewerMatches = { total: number } & ({ ids: readonly number[] } | { newestId: number });

function newestOf(matches: NewerMatches): number | undefined {
  return 'ids' in matches ? matches.ids[0] : matches.newestId;
}

/** A page of the matches. `ids` are all of them, newest first. */
export function pageOf(ids: readonly number[], { limit, skip, startId }: Page): number[] {
  const start = startId === undefined ? 0 : ids.findIndex((id) => id <= startId);
  return start === -1 ? [] : ids.slice(start + skip, start + skip + limit);
}
