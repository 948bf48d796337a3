import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

/** Places of projects or environments that were deleted. */
const isGone = sql`
  not exists (select from projects p where p.id = place.project)
  or not exists (select from environments e where e.name = place.environment)`;

const removalTables = ['removed_features', 'segment_revisions'] as const;
type RemovalTable = (typeof removalTables)[number];

/** The uses of segments that have ended. Every row of `removed_features` is a removal. */
const isRemoval = (table: RemovalTable) => (table === 'segment_revisions' ? sql`not removal.is_used` : sql`true`);

export interface Removals {
  gonePlaces: number;
  removals: number;
}

/** How many counters of deleted places there are, and how much readers must forget. */
export async function countRemovals(db: Kysely<FlagsTables>): Promise<Removals> {
  const counts = removalTables.map((table) => {
    return sql`(select count(*) from ${sql.table(table)} removal where ${isRemoval(table)})`;
  });
  const { rows } = await sql<Removals>`
    select (select count(*)::integer from revisions place where ${isGone}) as "gonePlaces",
      (${sql.join(counts, sql` + `)})::integer as removals`.execute(db);
  return rows[0]!;
}

/**
 * Begins an epoch, so that every reader gets the whole state, and deletes the counters of deleted places. The lock of
 * the table excludes writers: one that makes a project again under its id finds its counter, or makes a new one.
 */
export async function beginEpoch(trx: Transaction<FlagsTables>): Promise<void> {
  // Changes that come later wait behind this statement.
  await sql`set local lock_timeout = '1s'`.execute(trx);
  await sql`lock table revisions in exclusive mode`.execute(trx);
  await sql`delete from revisions place where ${isGone}`.execute(trx);
  await sql`update revisions set forgotten = revision where forgotten <> revision`.execute(trx);
  await sql`update epoch set epoch = gen_random_uuid()`.execute(trx);
}

/** Deletes what no reader of the present epoch has: removals from before it, and those of deleted places. */
export async function deleteForgotten(trx: Transaction<FlagsTables>, limit: number): Promise<number> {
  let deleted = 0;
  for (const table of removalTables) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} removal
      where ${isRemoval(table)} and ctid in (
        select removal.ctid from ${sql.table(table)} removal left join revisions place using (environment, project)
        where ${isRemoval(table)} and (place.forgotten is null or removal.revision <= place.forgotten)
        limit ${limit - deleted}
      )`.execute(trx);
    deleted += Number(numAffectedRows);
  }
  return deleted;
}
