import type { ServedContext } from '@yardarm/shared/bus';
import { type Database, type Kysely, withinLimit } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { EventsTables } from '../db/schema.ts';
import type { LoggedEvent } from './event.ts';
import { findCountedPage, findEventsByIds, findExtent, findIds, findMatches } from './events.repo.ts';
import type { KnownMatches } from './known-matches.ts';
import { extendMatches, type Matches, pageOf } from './matches.ts';
import { countLimitMs, type PageTurns } from './page-turns.ts';
import { countersOf, type Page, type Search } from './search.ts';

/**
 * The default page, so that it takes one statement. Events of the largest size, a megabyte each, take some 150 MB with
 * their text and their values.
 */
const portion = 50;

interface SearchResources {
  db: Database<EventsTables>;
  known: KnownMatches;
  turns: Pick<PageTurns, 'counts'>;
  /** Of a statement that counts matches. */
  limitMs?: number;
}

/** A part of a page, and the total of the search. */
export interface PagePart {
  rows: LoggedEvent[];
  total: number;
}

/**
 * Finds a page of matches, newest first, and returns how to read it in parts, at least one, so that memory has one part
 * of it. Whatever takes long is done before it returns: the count of a search that no counter has. Callers take turns
 * for it, and each of its statements has a limit: else adversarial texts occupy Postgres and all connections. Total and
 * ids are of one snapshot. Retention may drop events of later parts before they are read; they are then missing.
 */
export async function searchEvents(
  { db, known, turns, limitMs = countLimitMs }: SearchResources,
  search: Search,
  page: Page,
  context: Pick<ServedContext, 'actor' | 'deadline'>,
): Promise<AsyncGenerator<PagePart>> {
  const counters = countersOf(search);
  if (counters !== null) return readCounted(db, search, page, counters);
  const { ids, total } = await turns.counts.run(context, async () => {
    // Read before the transaction's snapshot, so that it never covers more of the log than the snapshot.
    const cached = known.get(search.key);
    return await withinLimit(
      db,
      { limitMs, lockLimitMs: Math.ceil(limitMs / 2), tooLong },
      async (trx) => {
        const matches = await findCurrentMatches(trx, search, cached, known);
        return { ids: await findPageIds(trx, search, matches, page), total: matches.total };
      },
      { isolation: 'repeatable read' },
    );
  });
  return readRows(db, ids, total);
}

async function* readCounted(
  db: Database<EventsTables>,
  search: Search,
  page: Page,
  counters: NonNullable<ReturnType<typeof countersOf>>,
): AsyncGenerator<PagePart> {
  const beginning = { ...page, limit: Math.min(page.limit, portion) };
  const first = await findCountedPage(db.kysely, search, beginning, counters);
  yield first;
  const last = first.rows.at(-1);
  if (last === undefined || page.limit <= portion || first.rows.length < portion) return;
  // Events that are recorded meanwhile have higher ids.
  const rest = { limit: page.limit - portion, skip: 0, startId: last.id - 1 };
  const ids = await findIds(db.kysely, search, rest);
  if (ids.length > 0) yield* readRows(db, ids, first.total);
}

async function* readRows(db: Database<EventsTables>, ids: readonly number[], total: number): AsyncGenerator<PagePart> {
  yield { rows: await findEventsByIds(db.kysely, ids.slice(0, portion)), total };
  for (let start = portion; start < ids.length; start += portion) {
    yield { rows: await findEventsByIds(db.kysely, ids.slice(start, start + portion)), total };
  }
}

function tooLong(seconds: number): AppError {
  return new AppError(
    'bad-data',
    `Finding the events takes longer than ${seconds} seconds. Search for a shorter text, or name flags, projects or types.`,
  );
}

/**
 * Ids that one statement reads: a partition, at most a second. A count of a larger log can exceed the deadline. The
 * matches found until then are kept, and the next search continues from there.
 */
const maxIdsPerStatement = 1_000_000;

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
