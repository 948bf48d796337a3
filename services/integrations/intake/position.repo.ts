import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

/** Up to where RECORDED has been taken; sequences of another incarnation say nothing. */
export interface Position {
  incarnation: string | null;
  lastSequence: number;
}

export async function readPosition(db: Kysely<IntegrationsTables>): Promise<Position> {
  const row = await db.selectFrom('intake').select(['incarnation', 'last_sequence']).executeTakeFirstOrThrow();
  return { incarnation: row.incarnation, lastSequence: row.last_sequence };
}

/** Lets nobody else take events until the transaction ends; returns up to which id deliveries have been swept. */
export async function lockIntake(trx: Transaction<IntegrationsTables>): Promise<number> {
  const row = await trx.selectFrom('intake').select('pruned_event_id').forUpdate().executeTakeFirstOrThrow();
  return row.pruned_event_id;
}

/**
 * Moves the position from where the caller believes it to be over messages of which `newestEventId` is the highest public id. Returns the
 * highest public id that had been taken before, and up to which id deliveries have been swept; null when the position is elsewhere.
 */
export async function movePosition(
  trx: Transaction<IntegrationsTables>,
  believed: Position,
  { incarnation, lastSequence }: Position,
  newestEventId: number,
): Promise<{ lastEventId: number; prunedEventId: number } | null> {
  const { rows } = await sql<{ lastEventId: number; prunedEventId: number }>`
    update intake set incarnation = ${incarnation}, last_sequence = ${lastSequence},
      last_event_id = greatest(intake.last_event_id, ${newestEventId})
    from (select one, last_event_id from intake for update) as before
    where intake.one = before.one
      and incarnation is not distinct from ${believed.incarnation} and last_sequence = ${believed.lastSequence}
    returning before.last_event_id as "lastEventId", pruned_event_id as "prunedEventId"`.execute(trx);
  return rows[0] ?? null;
}
