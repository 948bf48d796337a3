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

/** The position, unmoved by others until the transaction ends, with the highest public id that has been taken. */
export async function lockPosition(trx: Transaction<IntegrationsTables>): Promise<Position & { lastEventId: number }> {
  const row = await trx
    .selectFrom('intake')
    .select(['incarnation', 'last_sequence', 'last_event_id'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { incarnation: row.incarnation, lastSequence: row.last_sequence, lastEventId: row.last_event_id };
}

/** Up to which id deliveries have been swept. */
export async function readPruned(db: Kysely<IntegrationsTables>): Promise<number> {
  return (await db.selectFrom('intake').select('pruned_event_id').executeTakeFirstOrThrow()).pruned_event_id;
}

/** Moves the position over messages of which `newestEventId` is the highest public id; returns up to which id deliveries have been swept. */
export async function movePosition(
  trx: Transaction<IntegrationsTables>,
  { incarnation, lastSequence }: Position,
  newestEventId: number,
): Promise<number> {
  const { rows } = await sql<{ pruned_event_id: number }>`
    update intake set incarnation = ${incarnation}, last_sequence = ${lastSequence},
      last_event_id = greatest(last_event_id, ${newestEventId})
    returning pruned_event_id`.execute(trx);
  return rows[0]!.pruned_event_id;
}
