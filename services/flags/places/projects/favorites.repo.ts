import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

/** False if the project was a favorite of the user before. */
export async function insertFavorite(trx: Transaction<FlagsTables>, project: string, userId: number): Promise<boolean> {
  const row = await trx
    .insertInto('project_favorites')
    .values({ project, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('project')
    .executeTakeFirst();
  return row !== undefined;
}

/** False if the project was no favorite of the user. */
export async function deleteFavorite(trx: Transaction<FlagsTables>, project: string, userId: number): Promise<boolean> {
  const row = await trx
    .deleteFrom('project_favorites')
    .where('project', '=', project)
    .where('user_id', '=', userId)
    .returning('project')
    .executeTakeFirst();
  return row !== undefined;
}
