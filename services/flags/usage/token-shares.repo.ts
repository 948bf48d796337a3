import { prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** Stands for no token, which no token has as its id. */
export const noToken = 0;

/** What tokens make in a day, with the column that has its number. */
const columns = { application_events: 'events', usage_entries: 'entries' } as const;

export interface Wanted {
  tokenId: number;
  count: number;
  /** What the token may make in a day. */
  bound: number;
}

/** Counts what tokens make within the bounds of the day (UTC), and returns how much of it each may make. */
export async function takeShares(
  trx: Transaction<FlagsTables>,
  table: keyof typeof columns,
  wanted: readonly Wanted[],
): Promise<Map<number, number>> {
  const column = sql.ref(columns[table]);
  const { rows } = await prepared(`take-${table}`)<{ tokenId: number; allowed: number }>`
    with sent as (
      select token_id, wanted, bound, (now() at time zone 'UTC')::date as day
      from unnest(
        ${wanted.map(({ tokenId }) => tokenId)}::integer[], ${wanted.map(({ count }) => count)}::integer[],
        ${wanted.map(({ bound }) => bound)}::integer[]
      ) as sent (token_id, wanted, bound)
    ), allowed as (
      select sent.token_id, sent.day, least(sent.wanted, greatest(sent.bound - coalesce(made.${column}, 0), 0)) as allowed
      from sent left join ${sql.table(table)} made on made.token_id = sent.token_id and made.day = sent.day
    ), stored as (
      insert into ${sql.table(table)} as made (token_id, day, ${column})
      select token_id, day, allowed from allowed where allowed > 0 order by token_id
      on conflict on constraint ${sql.id(`${table}_pkey`)} do update set ${column} = made.${column} + excluded.${column}
    )
    select token_id as "tokenId", allowed from allowed`.execute(trx);
  return new Map(rows.map(({ tokenId, allowed }) => [tokenId, allowed]));
}
