import { type RawBuilder, sql } from '@yardarm/shared/db';

/**
 * CTEs of a report that end with `bounded`: the rows of the CTE `sent` without those for which a table has no room. A
 * table has at most `bound` rows per environment. Rows that it has already (not `is_new`) need no room.
 */
export function boundedPerEnvironment(
  sent: string,
  table: 'application_instances' | 'unknown_flags',
  bound: number,
): RawBuilder<unknown> {
  const rows = sql.table(sent);
  return sql`sizes as (
      select environment, count(*) as size from ${sql.table(table)}
      where environment in (select environment from ${rows} where is_new) group by environment
    ), placed as (
      select ${rows}.*, coalesce(size, 0) + row_number() over (partition by environment, is_new) as place
      from ${rows} left join sizes using (environment)
    ), bounded as (
      select * from placed where not is_new or place <= ${bound}
    )`;
}
