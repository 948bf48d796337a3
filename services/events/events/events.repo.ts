import { eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import type { Creator } from './creator.ts';
import { type Counter, eventColumns, type LoggedEvent } from './event.ts';
import { maxListedIds, type NewerMatches } from './matches.ts';
import { type Page, patternOf, type Search } from './search.ts';
import type { Visibility } from './visibility.ts';

type Rows = Kysely<EventsTables>;

/** The first and the last id of the log; 1 and 0 when it is empty. Sets `work_mem` for the transaction. */
export async function findExtent(db: Rows): Promise<{ firstId: number; lastId: number }> {
  const row = await db
    .selectFrom('recorder_position')
    .select((builder) => [
      'last_id',
      builder.selectFrom('events').select('id').orderBy('id').limit(1).as('first_id'),
      // Part of this statement, because a separate one would slow down every search.
      sql<string>`set_config('work_mem', ${countMemory}, true)`.as('memory'),
    ])
    .executeTakeFirstOrThrow();
  return { firstId: row.first_id ?? row.last_id + 1, lastId: row.last_id };
}

/**
 * A bitmap scan lists the pages that the indexes find. When the bitmap does not fit into memory, Postgres checks every
 * event of a page again. A partition has some 110,000 pages at 60 bytes each, which is 7 MB. The setting doubles that,
 * for larger events.
 */
const countMemory = '16MB';

/**
 * A page of matches, newest first, and the sum of the counters. One statement sees one snapshot. The four statements of
 * a transaction would double the work.
 */
export async function findCountedPage(
  db: Rows,
  search: Search,
  page: Page,
  counters: { kind: Counter['kind']; names: readonly string[] },
): Promise<{ rows: LoggedEvent[]; total: number }> {
  const rows = await db
    .selectFrom((counted) =>
      counted
        .selectFrom('event_counters')
        .select(({ fn }) => fn.sum<string>('total').as('total'))
        .where('kind', '=', counters.kind)
        .where('name', '=', anyOf(counters.names))
        .as('counted'),
    )
    .leftJoin(idsOf(db, search, page).as('page'), (join) => join.onTrue())
    .leftJoin('events', 'events.id', 'page.id')
    .select(['counted.total as sum', ...columnsOfEvents])
    .orderBy('page.id', 'desc')
    .execute();
  // A page without events still has one row, for the sum.
  return {
    rows: rows.filter((row): row is typeof row & LoggedEvent => row.id !== null),
    total: Number(rows[0]?.sum ?? 0),
  };
}

const columnsOfEvents = eventColumns.map((column) => `events.${column}` as const);

/**
 * The matches after `afterId` up to `upToId`, by default of the whole log. Callers omit a bound that limits nothing:
 * with a condition on the id, Postgres does not combine two indexes that contain the id.
 */
export async function findMatches(
  db: Rows,
  search: Search,
  { afterId, upToId }: { afterId?: number | undefined; upToId?: number | undefined },
): Promise<NewerMatches> {
  let matching = db.selectFrom('events').where((builder) => matches(builder, search));
  if (afterId !== undefined) matching = matching.where('id', '>', afterId);
  if (upToId !== undefined) matching = matching.where('id', '<=', upToId);
  // One pass without an order of ids, so that Postgres can run it in parallel.
  const { total, newest, ids } = await matching
    .select(({ fn }) => [
      fn.countAll<string>().as('total'),
      fn.max('id').as('newest'),
      sql<number[] | null>`case when count(*) <= ${maxListedIds} then array_agg(id) end`.as('ids'),
    ])
    .executeTakeFirstOrThrow();
  if (newest === null) return { total: 0, ids: [] };
  return ids === null
    ? { total: Number(total), newestId: newest }
    : { total: ids.length, ids: ids.sort((a, b) => b - a) };
}

export async function findIds(db: Rows, search: Search, page: Page): Promise<number[]> {
  const rows = await idsOf(db, search, page).execute();
  return rows.map(({ id }) => id);
}

function idsOf(db: Rows, search: Search, { limit, skip, startId }: Page) {
  // Selects ids only. The indexes contain them, so that skipping and paging read no events.
  const page = db
    .selectFrom('events')
    .select('id')
    .where((builder) => matches(builder, search))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(skip);
  return startId === undefined ? page : page.where('id', '<=', startId);
}

/** The events with these ids, the newest one first. */
export async function findEventsByIds(db: Rows, ids: readonly number[]): Promise<LoggedEvent[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('events').select(eventColumns).where('id', '=', anyOf(ids)).orderBy('id', 'desc').execute();
}

/**
 * The creators of visible events, by id. The recursive query finds each next id in the index, so that its cost depends
 * on the number of creators and not on that of events.
 */
export async function findCreators(db: Rows, visibility: Visibility): Promise<Creator[]> {
  const { rows: ids } = await sql<{ id: number }>`
    with recursive creators (id) as (
      select min(created_by_user_id) from events
      union all
      select (select min(created_by_user_id) from events where created_by_user_id > creators.id)
        from creators where creators.id is not null
    )
    select id from creators where id is not null`.execute(db);
  const rows = await db
    .selectFrom(sql<{ id: number }>`unnest(${ids.map(({ id }) => id)}::bigint[])`.as<'creator'>(sql`creator (id)`))
    .innerJoinLateral(
      (lateral) =>
        lateral
          .selectFrom('events')
          .select(['created_by', 'created_by_username'])
          .whereRef('created_by_user_id', '=', 'creator.id')
          .where((builder) => (visibility === 'everything' ? sql<boolean>`true` : isVisible(builder, visibility)))
          .orderBy('events.id', 'desc')
          .limit(1)
          .as('newest'),
      (join) => join.onTrue(),
    )
    .select(['creator.id', 'created_by', 'created_by_username'])
    .orderBy('creator.id')
    .execute();
  return rows.map((row) => ({ id: row.id, username: row.created_by_username, createdBy: row.created_by }));
}

function matches(builder: ExpressionBuilder<EventsTables, 'events'>, search: Search): Expression<SqlBool> {
  const { ids, types, projects, features, environments, createdBy, from, to } = search.filters;
  const conditions: Expression<SqlBool>[] = [];
  if (ids !== undefined) conditions.push(builder('id', '=', anyOf(ids)));
  if (types !== undefined) conditions.push(builder('type', '=', anyOf<string>(types)));
  if (projects !== undefined) conditions.push(builder('project', '=', anyOf(projects)));
  if (features !== undefined) conditions.push(builder('feature_name', '=', anyOf(features)));
  if (environments !== undefined) conditions.push(builder('environment', '=', anyOf(environments)));
  if (createdBy !== undefined) conditions.push(builder('created_by_user_id', '=', anyOf(createdBy)));
  if (from !== undefined) conditions.push(sql`created_at >= ${from}::date::timestamp at time zone 'UTC'`);
  if (to !== undefined) conditions.push(sql`created_at < (${to}::date + 1)::timestamp at time zone 'UTC'`);
  const pattern = patternOf(search);
  if (pattern !== null) conditions.push(builder('search_text', 'like', pattern));
  if (search.visibility !== 'everything') conditions.push(isVisible(builder, search.visibility));
  return builder.and(conditions);
}

/** The SQL condition of `isVisible` in visibility.ts. */
function isVisible(
  builder: ExpressionBuilder<EventsTables, 'events'>,
  { ofPeopleIn }: Exclude<Visibility, 'everything'>,
): Expression<SqlBool> {
  return builder.or([
    builder('type', '!=', sql<string>`all(${[...eventTypesOfPeople]})`),
    ofPeopleIn === 'every-project' ? builder('project', 'is not', null) : builder('project', '=', anyOf(ofPeopleIn)),
  ]);
}

/** `any(…)`, or a plain value for one element: an index on the column then returns its rows in order. */
function anyOf<Value extends string | number>(values: readonly Value[]) {
  const [only, another] = values;
  return only !== undefined && another === undefined ? sql<Value>`${only}` : sql<Value>`any(${[...values]})`;
}
