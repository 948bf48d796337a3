import type { Kysely, Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

export async function findSeenSplashes(db: Kysely<AccountsTables>, userId: number): Promise<string[]> {
  const splashes = db.selectFrom('seen_splashes').where('user_id', '=', userId);
  return (await splashes.select('splash_id').orderBy('splash_id').execute()).map(({ splash_id }) => splash_id);
}

export async function insertSeenSplash(
  trx: Transaction<AccountsTables>,
  userId: number,
  splashId: string,
): Promise<void> {
  await trx.insertInto('seen_splashes').values({ user_id: userId, splash_id: splashId }).execute();
}

export async function deleteSeenSplashes(trx: Transaction<AccountsTables>, userId: number): Promise<void> {
  await trx.deleteFrom('seen_splashes').where('user_id', '=', userId).execute();
}
