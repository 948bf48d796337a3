import { type Kysely, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { IdRange } from './missed-events.ts';

/** Up to where RECORDED has been taken; sequences of another incarnation say nothing. */
export interface Position {
  incarnation: string | null;
  lastSequence: number;
  /** The highest public id that has been taken; moves with the position and in no other way. */
  lastEventId: number;
}

export async function readPosition(db: Kysely<IntegrationsTables>): Promise<Position> {
  const row = await db
    .selectFrom('intake')
    .select(['incarnation', 'last_sequence', 'last_event_id'])
    .executeTakeFirstOrThrow();
  return { incarnation: row.incarnation, lastSequence: row.last_sequence, lastEventId: row.last_event_id };
}

/** Lets nobody else take events until the transaction ends. */
export async function lockIntake(trx: Transaction<IntegrationsTables>): Promise<void> {
  await trx.selectFrom('intake').select('last_sequence').forUpdate().executeTakeFirstOrThrow();
}

/**
 * Queries for insertDeliveries: the position moves from where the caller believes it to be, unless it is elsewhere, `isRight` is not, or
 * another transaction holds it: a statement that has waited would see the deliveries as they were before. What was missed on the way is noted.
 */
export function movingPosition(
  believed: Position,
  { incarnation, lastSequence, lastEventId }: Position,
  missed: readonly IdRange[],
  isRight: RawBuilder<boolean>,
): RawBuilder<unknown> {
  return sql`
    untouched as (
      select last_sequence from intake for update skip locked
    ), taking as (
      update intake set incarnation = ${incarnation}, last_sequence = ${lastSequence}, last_event_id = ${lastEventId}
      from untouched
      where incarnation is not distinct from ${believed.incarnation} and intake.last_sequence = ${believed.lastSequence}
        and ${isRight}
      returning pruned_event_id
    ), missed as (
      insert into missed_events (first_id, last_id)
      select first_id, last_id from taking, unnest(
        ${missed.map(({ first }) => first)}::bigint[], ${missed.map(({ last }) => last)}::bigint[]) as t (first_id, last_id)
      on conflict on constraint missed_events_pkey
        do update set last_id = greatest(missed_events.last_id, excluded.last_id)
    )`;
}

/** A query for insertDeliveries, of an intake that is locked: nothing moves. */
export const standingPosition: RawBuilder<unknown> = sql`taking as (select pruned_event_id from intake)`;
