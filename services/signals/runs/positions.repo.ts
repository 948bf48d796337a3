import type { StreamPosition } from '@yardarm/shared/bus';
import { assignPosition, type Kysely, positionColumns, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';

type Trx = Transaction<SignalsTables>;

/** Up to where the signals of an endpoint are taken. */
export async function findPosition(db: Kysely<SignalsTables>, endpointId: number): Promise<StreamPosition | undefined> {
  const { rows } = await sql<StreamPosition>`
    select ${positionColumns} from run_positions where endpoint_id = ${endpointId}`.execute(db);
  return rows[0];
}

/** No other transaction takes signals of the endpoint or enables a set of it until this one ends. */
export async function lockPosition(trx: Trx, endpointId: number): Promise<StreamPosition | undefined> {
  const { rows } = await prepared('lock-run-position')<StreamPosition>`
    select ${positionColumns} from run_positions where endpoint_id = ${endpointId} for update`.execute(trx);
  return rows[0];
}

/** Defers the statement to the commit. */
export function deferPosition(trx: Trx, endpointId: number, position: StreamPosition): void {
  trx.defer(
    prepared('store-run-position')`
    update run_positions set ${assignPosition(position)}
    where endpoint_id = ${endpointId}`,
  );
}

/**
 * Locks the position of an endpoint and, if the endpoint has no enabled set, moves it to the end of SIGNALS. The
 * transaction that enables a set calls this before it locks a set and before it draws `enabled_at`, with the end that
 * was read before the transaction.
 *
 * A signal that is taken before the lock was accepted before `enabled_at`, so the set does not match it. A signal that
 * is accepted later is behind the end, and the transaction that takes it waits for the lock and finds the set.
 */
export async function beginReading(trx: Trx, endpointId: number, end: StreamPosition): Promise<void> {
  await sql`
    insert into run_positions (endpoint_id, incarnation, last_sequence)
    values (${endpointId}, ${end.incarnation}, ${end.lastSequence})
    on conflict on constraint run_positions_pkey do nothing`.execute(trx);
  await lockPosition(trx, endpointId);
  // A statement of its own, so that it sees the sets of a transaction that had the lock before.
  await sql`
    update run_positions set ${assignPosition(end)}
    where endpoint_id = ${endpointId}
      and not exists (select 1 from action_sets where source_id = ${endpointId} and enabled)`.execute(trx);
}

/** The endpoints with an enabled set or an unfinished run. */
export async function listEndpointsToRun(db: Kysely<SignalsTables>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select source_id as id from action_sets where enabled
    union
    select endpoint_id from action_runs where finished_at is null
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}
