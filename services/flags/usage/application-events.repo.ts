import { prepared, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** Stands for no token, which no token has as its id. */
const noToken = 0;

/** Counts the events of tokens that are within the bound of the day, and returns how many of them each may make. */
export async function takeEvents(
  trx: Transaction<FlagsTables>,
  wanted: readonly { tokenId: number | null; events: number }[],
  bound: number,
): Promise<Map<number | null, number>> {
  const { rows } = await prepared('take-application-events')<{ tokenId: number; events: number }>`
    with sent as (
      select token_id, wanted, (now() at time zone 'UTC')::date as day
      from unnest(
        ${wanted.map(({ tokenId }) => tokenId ?? noToken)}::integer[], ${wanted.map(({ events }) => events)}::integer[]
      ) as sent (token_id, wanted)
    ), allowed as (
      select sent.token_id, sent.day, least(sent.wanted, greatest(${bound}::integer - coalesce(made.events, 0), 0)) as events
      from sent left join application_events made on made.token_id = sent.token_id and made.day = sent.day
    ), stored as (
      insert into application_events as made (token_id, day, events)
      select token_id, day, events from allowed where events > 0 order by token_id
      on conflict on constraint application_events_pkey do update set events = made.events + excluded.events
    )
    select token_id as "tokenId", events from allowed`.execute(trx);
  return new Map(rows.map(({ tokenId, events }) => [tokenId === noToken ? null : tokenId, events]));
}
