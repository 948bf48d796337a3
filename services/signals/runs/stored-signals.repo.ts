import { hidden, type Kysely, prepared, sql } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { StoredSignal } from '../signals/signal.ts';

type SignalRow = Omit<StoredSignal, 'createdAt'> & { createdAt: Date };

const columns = sql`
  id, endpoint_id as "endpointId", token_id as "tokenId", payload, created_at as "createdAt",
  stream_incarnation as "streamIncarnation", stream_sequence as "streamSequence"`;

const toSignal = (row: SignalRow): StoredSignal => ({ ...row, createdAt: row.createdAt.toISOString() });

/**
 * The signals with these ids, by id. Ids are compared one by one, because Postgres then looks into one partition for
 * each of them.
 */
export async function findSignals(
  db: Kysely<SignalsTables>,
  ids: readonly number[],
): Promise<Map<number, StoredSignal>> {
  const { rows } = await prepared('find-signals')<SignalRow>`
    select ${columns} from unnest(${hidden(sql`${[...ids]}::bigint[]`)}) as requested (signal_id) join signals on id = signal_id`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, toSignal(row)]));
}

/**
 * Stored signals of an endpoint whose messages one incarnation of SIGNALS had behind `after`, and before the sequence
 * `before` unless it is null. In stream order.
 */
export async function findSignalsAfter(
  db: Kysely<SignalsTables>,
  range: { endpointId: number; incarnation: string | null; after: number; before: number | null; limit: number },
): Promise<StoredSignal[]> {
  const { rows } = await sql<SignalRow>`
    select ${columns} from signals
    where endpoint_id = ${range.endpointId} and stream_incarnation = ${range.incarnation}
      and stream_sequence > ${range.after} and (${range.before}::bigint is null or stream_sequence < ${range.before}::bigint)
    order by stream_sequence
    limit ${range.limit}`.execute(db);
  return rows.map(toSignal);
}
