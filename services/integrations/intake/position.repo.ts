import { type Kysely, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

type Trx = Transaction<IntegrationsTables>;

/** Returns the id up to which intake has handled the log. */
export async function findPosition(db: Kysely<IntegrationsTables>): Promise<number> {
  return (await sql<{ id: number }>`select last_event_id as id from intake`.execute(db)).rows[0]!.id;
}

export interface LockedIntake {
  lastEventId: number;
  /** Deliveries up to this id may have been swept, so their events get none again. */
  prunedEventId: number;
}

/** No other transaction handles events until this one ends. */
export async function lockIntake(trx: Trx): Promise<LockedIntake> {
  const { rows } = await prepared('lock-intake')<LockedIntake>`
    select last_event_id as "lastEventId", pruned_event_id as "prunedEventId" from intake for update`.execute(trx);
  return rows[0]!;
}

/** Defers the statement to the commit. */
export function deferPosition(trx: Trx, lastEventId: number): void {
  trx.defer(prepared('store-intake-position')`update intake set last_event_id = ${lastEventId}`);
}
