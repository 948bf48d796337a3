import { type Kysely, sql } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { StoredSignal } from './signal.ts';

export interface ListedSignal extends StoredSignal {
  /** Null when the token was deleted. */
  tokenName: string | null;
}

export interface DeadLetter {
  sequence: number;
  publishedAt: Date;
  subject: string;
  payload: string;
  reason: string;
}

/** Inserts signals in one statement and ignores ids that exist. */
export async function insertSignals(db: Kysely<SignalsTables>, signals: readonly StoredSignal[]): Promise<void> {
  await sql`
    insert into signals (id, endpoint_id, token_id, payload, created_at)
    select * from unnest(
      ${signals.map((signal) => signal.id)}::bigint[],
      ${signals.map((signal) => signal.endpointId)}::integer[],
      ${signals.map((signal) => signal.tokenId)}::integer[],
      ${signals.map((signal) => signal.payload)}::text[],
      ${signals.map((signal) => signal.createdAt)}::timestamptz[]
    )
    on conflict on constraint signals_pkey do nothing`.execute(db);
}

/** Ignores a message that is already stored. */
export async function insertDeadLetter(db: Kysely<SignalsTables>, message: DeadLetter): Promise<void> {
  const { sequence, publishedAt, subject, payload, reason } = message;
  await db
    .insertInto('signals_set_aside')
    .values({ sequence, published_at: publishedAt, subject, payload, reason })
    .onConflict((conflict) => conflict.constraint('signals_set_aside_pkey').doNothing())
    .execute();
}

/** One page of an endpoint's signals, newest first: those with ids below `beforeId`, or all when it is null. */
export async function findSignals(
  db: Kysely<SignalsTables>,
  page: { endpointId: number; beforeId: number | null; skip: number; limit: number },
): Promise<ListedSignal[]> {
  const { rows } = await sql<{ id: number; token_id: number; payload: string; created_at: Date; name: string | null }>`
    select signals.id, signals.token_id, signals.payload, signals.created_at, signal_endpoint_tokens.name
    from signals left join signal_endpoint_tokens on signal_endpoint_tokens.id = signals.token_id
    where signals.endpoint_id = ${page.endpointId}::bigint
      and (${page.beforeId}::bigint is null or signals.id < ${page.beforeId}::bigint)
    order by signals.id desc
    limit ${page.limit} offset ${page.skip}`.execute(db);
  return rows.map(({ id, token_id, payload, created_at, name }) => ({
    id,
    endpointId: page.endpointId,
    tokenId: token_id,
    payload,
    createdAt: created_at.toISOString(),
    tokenName: name,
  }));
}
