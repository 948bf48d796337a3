import type { StreamPosition } from '@yardarm/shared/bus';
import { assignPosition, type Kysely, positionColumns, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';

type Trx = Transaction<IntegrationsTables>;

/** Up to where intake has handled RECORDED. */
export interface IntakePosition extends StreamPosition {
  /** The highest public id that intake has handled. It moves only with the position. */
  lastEventId: number;
}

const columns = sql`
  ${positionColumns}, last_event_id as "lastEventId", pruned_event_id as "prunedEventId"`;

export async function findPosition(db: Kysely<IntegrationsTables>): Promise<IntakePosition> {
  return (await sql<IntakePosition>`select ${columns} from intake`.execute(db)).rows[0]!;
}

/** No other transaction handles events until this one ends. */
export async function lockIntake(trx: Trx): Promise<IntakePosition & { prunedEventId: number }> {
  const { rows } = await prepared('lock-intake')<
    IntakePosition & { prunedEventId: number }
  >`select ${columns} from intake for update`.execute(trx);
  return rows[0]!;
}

/** Defers the statement to the commit. */
export function deferPosition(trx: Trx, position: IntakePosition): void {
  trx.defer(
    prepared('store-intake-position')`
    update intake set ${assignPosition(position)}, last_event_id = ${position.lastEventId}`,
  );
}
