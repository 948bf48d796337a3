import { sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

/** Keeps a one-time token of a user in the place of an earlier one. Its life is told by the database's clock. */
export async function upsertReset(
  trx: Transaction<AccountsTables>,
  reset: { userId: number; selector: string; hash: string; createdBy: string; lifeHours: number },
): Promise<{ expiresAt: Date }> {
  const values = {
    selector: reset.selector,
    hash: reset.hash,
    created_by: reset.createdBy,
    created_at: sql<Date>`now()`,
    expires_at: sql<Date>`now() + ${reset.lifeHours} * interval '1 hour'`,
  };
  const row = await trx
    .insertInto('password_resets')
    .values({ user_id: reset.userId, ...values })
    .onConflict((conflict) => conflict.constraint('password_resets_pkey').doUpdateSet(values))
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { expiresAt: row.expires_at };
}
