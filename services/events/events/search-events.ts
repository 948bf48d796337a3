import type { Database, Kysely } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import type { LoggedEvent } from './event.ts';
import { findCountedPage, findEventsByIds, findExtent, findIds, findMatches } from './events.repo.ts';
import type { KnownMatches } from './known-matches.ts';
import { extended, type Matches, pageOf } from './matches.ts';
import { countersOf, type Page, type Search } from './search.ts';

/** A page of the events that the search finds, newest first, and how many it finds in all; both of one moment. */
export async function searchEvents(
  { db, known }: { db: Database<EventsTables>; known: KnownMatches },
  search: Search,
  page: Page,
): Promise<{ rows: LoggedEvent[]; total: number }> {
  const counters = countersOf(search);
  if (counters !== null) return findCountedPage(db.kysely, search, page, counters);
  // Taken before the moment of the log that is looked at, so that it never knows more than that.
  const before = known.get(search.key);
  return db.transaction(
    async (trx) => {
      const matches = await matchesNow(trx, search, before, known);
      return { rows: await findEventsByIds(trx, await idsOfPage(trx, search, matches, page)), total: matches.total };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

/**
 * Ids that one statement looks at: two partitions, at most a second or two. A log of many takes longer than a statement may; what was
 * looked at is known by then, and the next search goes on from there.
 */
const idsAtOnce = 2_000_000;

async function matchesNow(
  trx: Kysely<EventsTables>,
  search: Search,
  before: Matches | undefined,
  known: KnownMatches,
): Promise<Matches> {
  const { firstId, lastId } = await findExtent(trx);
  let matches: Matches = before?.firstId === firstId ? before : { firstId, upToId: firstId - 1, total: 0, ids: [] };
  while (matches.upToId < lastId) {
    const upToId = Math.min(lastId, matches.upToId + idsAtOnce);
    const stretch = {
      afterId: matches.upToId < firstId ? undefined : matches.upToId,
      upToId: upToId === lastId ? undefined : upToId,
    };
    matches = extended(matches, upToId, await findMatches(trx, search, stretch));
    known.set(search.key, matches);
  }
  return matches;
}

async function idsOfPage(
  trx: Kysely<EventsTables>,
  search: Search,
  matches: Matches,
  page: Page,
): Promise<readonly number[]> {
  if ('ids' in matches) return pageOf(matches.ids, page);
  return findIds(trx, search, { ...page, startId: Math.min(page.startId ?? matches.newestId, matches.newestId) });
}
