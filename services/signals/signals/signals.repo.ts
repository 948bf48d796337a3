import { type Kysely, prepared } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { StoredSignal } from './signal.ts';

export interface DeadLetter {
  sequence: number;
  publishedAt: Date;
  subject: string;
  payload: string;
  reason: string;
}

/** Inserts signals in one statement, in their order, and ignores ids that exist. Returns the number of new ones. */
export async function insertSignals(db: Kysely<SignalsTables>, signals: readonly StoredSignal[]): Promise<number> {
  const { numAffectedRows = 0n } = await prepared('insert-signals')`
    insert into signals (id, endpoint_id, token_id, payload, created_at, stream_incarnation, stream_sequence)
    select id, endpoint_id, token_id, payload, created_at, stream_incarnation, stream_sequence from unnest(
      ${signals.map((signal) => signal.id)}::bigint[],
      ${signals.map((signal) => signal.endpointId)}::integer[],
      ${signals.map((signal) => signal.tokenId)}::integer[],
      ${signals.map((signal) => signal.payload)}::text[],
      ${signals.map((signal) => signal.createdAt)}::timestamptz[],
      ${signals.map((signal) => signal.streamIncarnation)}::text[],
      ${signals.map((signal) => signal.streamSequence)}::bigint[]
    ) with ordinality as signal
      (id, endpoint_id, token_id, payload, created_at, stream_incarnation, stream_sequence, place)
    order by place
    on conflict on constraint signals_pkey do nothing`.execute(db);
  return Number(numAffectedRows);
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

/** The signal with this id, if this token sent it to this endpoint. */
export async function findSignal(
  db: Kysely<SignalsTables>,
  { id, endpointId, tokenId }: { id: number; endpointId: number; tokenId: number },
): Promise<{ payload: string; createdAt: Date } | undefined> {
  const { rows } = await prepared('find-signal')<{ payload: string; createdAt: Date }>`
    select payload, created_at as "createdAt" from signals
    where id = ${id} and endpoint_id = ${endpointId} and token_id = ${tokenId}`.execute(db);
  return rows[0];
}
