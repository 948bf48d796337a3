import { type Database, json, type Leadership, prepared, sql, type Transaction } from '@yardarm/shared/db';
import { deleteInBatches } from '../../db/delete-in-batches.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { StepOutcome } from './step.ts';

/**
 * Inserts the step, or returns the outcome that it has. Waits for another transaction that has inserted the step: if
 * that one is rolled back, the step is new.
 */
export async function insertStep(trx: Transaction<FlagsTables>, id: string): Promise<StepOutcome | null> {
  const { numAffectedRows } = await prepared('insert-step')`
    insert into steps (id) values (${id}) on conflict on constraint steps_pkey do nothing`.execute(trx);
  if (numAffectedRows === 1n) return null;
  // A statement of its own, because the one that waited does not see the row.
  const row = await trx.selectFrom('steps').select('outcome').where('id', '=', id).executeTakeFirstOrThrow();
  if (row.outcome === null) throw new Error(`the step ${id} was committed without an outcome`);
  return row.outcome;
}

export function deferOutcome(trx: Transaction<FlagsTables>, id: string, outcome: StepOutcome): void {
  trx.defer(
    prepared('store-step-outcome')`
    update steps set outcome = ${json(outcome)}, finished_at = clock_timestamp() where id = ${id}`,
  );
}

/** Deletes the steps that ended more than `keptDays` ago. */
export async function deleteOldSteps(
  db: Database<FlagsTables>,
  leadership: Pick<Leadership, 'requireCurrent' | 'signal'>,
  keptDays: number,
): Promise<void> {
  await deleteInBatches(db, leadership, async (trx, limit) => {
    const { numAffectedRows } = await sql`
      delete from steps where id in (
        select id from steps where finished_at < now() - make_interval(days => ${keptDays})
        order by finished_at limit ${limit}
      )`.execute(trx);
    return Number(numAffectedRows);
  });
}
