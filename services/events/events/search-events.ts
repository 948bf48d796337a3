import type { Database, Kysely } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import type { LoggedEvent } from './event.ts';
import { findCountedPage, findEventsByIds, findExtent, findIds, findMatches } from './events.repo.ts';
import type { KnownMatches } from './known-matches.ts';
import { extendMatches, type Matches, pageOf } from './matches.ts';
import { countersOf, type Page, type Search } from './search.ts';

/** A page of matches, newest first, and the total; both are of one snapshot. */
export async function searchEvents(
  { db, known }: { db: Database<EventsTables>; known: KnownMatches },
  search: Search,
  page: Page,
): Promise<{ rows: LoggedEvent[]; total: number }> {
  const counters = countersOf(search);
  if (counters !== null) return findCountedPage(db.kysely, search, page, counters);
  // Read before the transaction's snapshot, so that it never covers more of the log than the snapshot.
  const cached = known.get(search.key);
  return db.transaction(
    async (trx) => {
      const matches = await findCurrentMatches(trx, search, cached, known);
      return { rows: await findEventsByIds(trx, await findPageIds(trx, search, matches, page)), total: matches.total };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

/**
 * Ids that one statement reads: two partitions, at most a second or two. A count of a larger log can exceed the
 * statement timeout. The matches found until then are kept, and the next search continues from there.
 */
const maxIdsPerStatement = 2_000_000;

async function findCurrentMatches(
  trx: Kysely<EventsTables>,
  search: Search,
  cached: Matches | undefined,
  known: KnownMatches,
): Promise<Matches> {
  const { firstId, lastId } = await findExtent(trx);
  let matches: Matches = cached?.firstId === firstId ? cached : { firstId, upToId: firstId - 1, total: 0, ids: [] };
  while (matches.upToId < lastId) {
    const upToId = Math.min(lastId, matches.upToId + maxIdsPerStatement);
    const range = {
      afterId: matches.upToId < firstId ? undefined : matches.upToId,
      upToId: upToId === lastId ? undefined : upToId,
    };
    matches = extendMatches(matches, upToId, await findMatches(trx, search, range));
    known.set(search.key, matches);
  }
  return matches;
}

async function findPageIds(
  trx: Kysely<EventsTables>,
  search: Search,
  matches: Matches,
  page: Page,
): Promise<readonly number[]> {
  if ('ids' in matches) return pageOf(matches.ids, page);
  return findIds(trx, search, { ...page, startId: Math.min(page.startId ?? matches.newestId, matches.newestId) });
}
