import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import type { Creator } from './creator.ts';
import { type Counter, eventColumns, type LoggedEvent } from './event.ts';
import { few, type NewerMatches } from './matches.ts';
import { type Page, patternOf, type Search } from './search.ts';
import { eventTypesOfPeople, type Visibility } from './visibility.ts';

type Rows = Kysely<EventsTables>;

/** The first and the last id of the log; 1 and 0 when it is empty. */
export async function readExtent(db: Rows): Promise<{ firstId: number; lastId: number }> {
  const row = await db
    .selectFrom('recorder_position')
    .select((builder) => ['last_id', builder.selectFrom('events').select('id').orderBy('id').limit(1).as('first_id')])
    .executeTakeFirstOrThrow();
  return { firstId: row.first_id ?? row.last_id + 1, lastId: row.last_id };
}

/** The sum of these counters. */
export async function sumOfCounters(db: Rows, kind: Counter['kind'], names: readonly string[]): Promise<number> {
  const row = await db
    .selectFrom('event_counters')
    .select(({ fn }) => fn.sum<string>('total').as('total'))
    .where('kind', '=', kind)
    .where('name', '=', anyOf(names))
    .executeTakeFirstOrThrow();
  return Number(row.total ?? 0);
}

/** What the search finds behind one id up to another. */
export async function readMatches(db: Rows, search: Search, afterId: number, upToId: number): Promise<NewerMatches> {
  const matching = db
    .selectFrom('events')
    .where('id', '>', afterId)
    .where('id', '<=', upToId)
    .where((builder) => matches(builder, search));
  // Without an order, which would have the database look for the newest instead of for all of them.
  const first = await matching
    .select('id')
    .limit(few + 1)
    .execute();
  if (first.length <= few) {
    return { total: first.length, ids: first.map(({ id }) => id).sort((a, b) => b - a) };
  }
  const { total, newest } = await matching
    .select(({ fn }) => [fn.countAll<string>().as('total'), fn.max('id').as('newest')])
    .executeTakeFirstOrThrow();
  return { total: Number(total), newestId: newest };
}

/** The ids of the page, newest first. */
export async function findIds(db: Rows, search: Search, { limit, skip, startId }: Page): Promise<number[]> {
  // Ids alone: an index holds them beside what is asked for, so that neither leaving out nor going back reads an event.
  let page = db
    .selectFrom('events')
    .select('id')
    .where((builder) => matches(builder, search))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(skip);
  if (startId !== undefined) page = page.where('id', '<=', startId);
  const rows = await page.execute();
  return rows.map(({ id }) => id);
}

/** These events, newest first. */
export async function readEvents(db: Rows, ids: readonly number[]): Promise<LoggedEvent[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('events').select(eventColumns).where('id', '=', anyOf(ids)).orderBy('id', 'desc').execute();
}

/**
 * Everybody who has created an event that may be seen, by id. The index is asked for the next id after each one, so that it costs as
 * many looks as there are people, and not as many as there are events.
 */
export async function readCreators(db: Rows, visibility: Visibility): Promise<Creator[]> {
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

/** visibility.ts' isVisible, as a condition. */
function isVisible(
  builder: ExpressionBuilder<EventsTables, 'events'>,
  { ofPeopleIn }: Exclude<Visibility, 'everything'>,
): Expression<SqlBool> {
  return builder.or([
    builder('type', '!=', sql<string>`all(${[...eventTypesOfPeople]})`),
    ofPeopleIn === 'every-project' ? builder('project', 'is not', null) : builder('project', '=', anyOf(ofPeopleIn)),
  ]);
}

/** `= any(…)`; of one value a plain value, whose place in an index keeps the order of what follows there. */
function anyOf<Value extends string | number>(values: readonly Value[]) {
  const [only, another] = values;
  return only !== undefined && another === undefined ? sql<Value>`${only}` : sql<Value>`any(${[...values]})`;
}
