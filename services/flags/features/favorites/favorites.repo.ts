import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

/** False if the flag was a favorite of the user before. */
export async function insertFavorite(
  trx: Transaction<FlagsTables>,
  featureName: string,
  userId: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('feature_favorites')
    .values({ feature_name: featureName, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** False if the flag was no favorite of the user. */
export async function deleteFavorite(
  trx: Transaction<FlagsTables>,
  featureName: string,
  userId: number,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('feature_favorites')
    .where('feature_name', '=', featureName)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
