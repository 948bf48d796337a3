import { type Kysely, publishOutboxAgain, sql } from '@yardarm/shared/db';

/**
 * SIGNALS has signals with ids that the restored sequence would draw again: new signals would pass for them and be
 * dropped. SIGNALS keeps its messages for 7 days, in which so many ids are enough for 1,600 signals a second.
 */
const skippedIds = 1_000_000_000;

/**
 * Signals that came after the backup are read again from SIGNALS. Enabled sets begin anew: their actions for those
 * signals are older than the restore, which took them back.
 */
export async function afterRestore(db: Kysely<unknown>): Promise<null> {
  await sql`select setval('signal_ids', (select last_value from signal_ids) + ${skippedIds}::bigint)`.execute(db);
  await sql`update action_sets set enabled_at = clock_timestamp() where enabled`.execute(db);
  await publishOutboxAgain(db);
  return null;
}
