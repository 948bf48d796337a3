import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

export async function hasPerson(db: Kysely<AccountsTables>): Promise<boolean> {
  const person = await db
    .selectFrom('users')
    .select('id')
    .where('kind', '=', 'user')
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return person !== undefined;
}

/** Blocks inserts into users until the transaction ends; reads are not blocked. */
export async function lockOutNewUsers(trx: Transaction<AccountsTables>): Promise<void> {
  await sql`lock table users in share row exclusive mode`.execute(trx);
}
