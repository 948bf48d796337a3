import { type Kysely, sql } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { StoredSignal } from '../signals/signal.ts';

/**
 * Stored signals of an endpoint whose messages one incarnation of SIGNALS had behind `after`, and before the sequence
 * `before` unless it is null. In stream order.
 */
export async function findSignalsAfter(
  db: Kysely<SignalsTables>,
  range: { endpointId: number; incarnation: string | null; after: number; before: number | null; limit: number },
): Promise<StoredSignal[]> {
  const { rows } = await sql<Omit<StoredSignal, 'createdAt'> & { createdAt: Date }>`
    select id, endpoint_id as "endpointId", token_id as "tokenId", payload, created_at as "createdAt",
      stream_incarnation as "streamIncarnation", stream_sequence as "streamSequence"
    from signals
    where endpoint_id = ${range.endpointId} and stream_incarnation = ${range.incarnation}
      and stream_sequence > ${range.after} and (${range.before}::bigint is null or stream_sequence < ${range.before}::bigint)
    order by stream_sequence
    limit ${range.limit}`.execute(db);
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}
