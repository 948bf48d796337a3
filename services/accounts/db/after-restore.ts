import { type Kysely, publishOutboxAgain, sql } from '@yardarm/shared/db';

/** Sessions that had ended and links that were used before the restore would be valid again. */
export async function afterRestore(db: Kysely<unknown>): Promise<null> {
  await sql`delete from tokens where kind = 'session'`.execute(db);
  await sql`delete from password_resets`.execute(db);
  await publishOutboxAgain(db);
  return null;
}
