import type { Kysely, Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

export interface StoredFeedback {
  userId: number;
  feedbackId: string;
  neverShow: boolean;
  given: Date | null;
}

const columns = [
  ...(['user_id as userId', 'feedback_id as feedbackId', 'never_show as neverShow', 'given'] as const),
] as const;

/** What a user has answered, by the name of the question. */
export function findFeedback(db: Kysely<AccountsTables>, userId: number): Promise<StoredFeedback[]> {
  return db.selectFrom('feedback').select(columns).where('user_id', '=', userId).orderBy('feedback_id').execute();
}

export async function upsertFeedback(
  trx: Transaction<AccountsTables>,
  { userId, feedbackId, neverShow, given }: StoredFeedback,
): Promise<void> {
  const answer = { never_show: neverShow, given };
  await trx
    .insertInto('feedback')
    .values({ user_id: userId, feedback_id: feedbackId, ...answer })
    .onConflict((conflict) => conflict.columns(['user_id', 'feedback_id']).doUpdateSet(answer))
    .execute();
}

export async function deleteFeedback(trx: Transaction<AccountsTables>, userId: number): Promise<void> {
  await trx.deleteFrom('feedback').where('user_id', '=', userId).execute();
}
