import type { Kysely, Transaction } from '@yardarm/shared/db';
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

/** The position, unmoved by others until the transaction ends. */
export async function lockPosition(trx: Transaction<IntegrationsTables>): Promise<Position> {
  const row = await trx
    .selectFrom('intake')
    .select(['incarnation', 'last_sequence'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { incarnation: row.incarnation, lastSequence: row.last_sequence };
}

export async function movePosition(trx: Transaction<IntegrationsTables>, position: Position): Promise<void> {
  await trx
    .updateTable('intake')
    .set({ incarnation: position.incarnation, last_sequence: position.lastSequence })
    .execute();
}
