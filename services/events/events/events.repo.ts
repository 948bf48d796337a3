import { type Database, type Expression, type ExpressionBuilder, type SqlBool, sql } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { counterOf, eventColumns, type LoggedEvent, type Search, searchPattern, type Visibility } from './event.ts';

/** A page of the events that match, newest first, and how many match in all; both of one moment. */
export async function searchLog(
  db: Database<EventsTables>,
  search: Search,
  visibility: Visibility,
): Promise<{ rows: LoggedEvent[]; total: number }> {
  return db.transaction(
    async (trx) => {
      const matching = trx.selectFrom('events').where((builder) => matches(builder, search, visibility));
      let page = matching.select(eventColumns).orderBy('id', 'desc').limit(search.limit);
      if (search.offset > 0) page = page.where('id', '<=', search.offset);
      const rows = await page.execute();
      const counter = counterOf(search, visibility);
      if (counter === null) {
        const counted = await matching.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow();
        return { rows, total: Number(counted.total) };
      }
      const kept = await trx
        .selectFrom('event_counters')
        .select('total')
        .where('kind', '=', counter.kind)
        .where('name', '=', counter.name)
        .executeTakeFirst();
      return { rows, total: kept?.total ?? 0 };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

function matches(
  builder: ExpressionBuilder<EventsTables, 'events'>,
  search: Search,
  visibility: Visibility,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [];
  if (search.type !== undefined) conditions.push(builder('type', '=', search.type));
  if (search.project !== undefined) conditions.push(builder('project', '=', search.project));
  if (search.feature !== undefined) conditions.push(builder('feature_name', '=', search.feature));
  const pattern = searchPattern(search.query);
  if (pattern !== null) conditions.push(builder('search_text', 'like', pattern));
  if (visibility !== 'everything') {
    conditions.push(
      builder.or([
        builder('project', 'is', null),
        builder('project', '=', sql<string>`any(${[...visibility.projects]})`),
      ]),
    );
  }
  return builder.and(conditions);
}
