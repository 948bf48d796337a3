import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { SavedViewDefinition, StoredSavedView } from './saved-view.ts';

/** The constraint that decides between concurrent requests that save a view under the same name. */
export const savedViewNameConstraint = 'saved_views_user_id_name_key';

const columns = ['id', 'name', 'project', 'query', 'created_at as createdAt'] as const;

/** The views of a user by name. */
export function findSavedViews(db: Kysely<AccountsTables>, userId: number): Promise<StoredSavedView[]> {
  return db.selectFrom('saved_views').select(columns).where('user_id', '=', userId).orderBy('name').execute();
}

export async function countSavedViews(trx: Transaction<AccountsTables>, userId: number): Promise<number> {
  const { count } = await trx
    .selectFrom('saved_views')
    .select((e) => e.cast<number>(e.fn.countAll(), 'integer').as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Violates `savedViewNameConstraint` when the user has a view of that name. */
export function insertSavedView(
  trx: Transaction<AccountsTables>,
  userId: number,
  { name, project, query }: SavedViewDefinition,
): Promise<StoredSavedView> {
  const view = { user_id: userId, name, project, query };
  return trx.insertInto('saved_views').values(view).returning(columns).executeTakeFirstOrThrow();
}

/** Undefined when the user has no such view. Violates `savedViewNameConstraint` when another one has the name. */
export function updateSavedViewRow(
  trx: Transaction<AccountsTables>,
  userId: number,
  id: number,
  { name, project, query }: SavedViewDefinition,
): Promise<StoredSavedView | undefined> {
  return trx
    .updateTable('saved_views')
    .set({ name, project, query })
    .where('user_id', '=', userId)
    .where('id', '=', sql<number>`${id}::bigint`)
    .returning(columns)
    .executeTakeFirst();
}

/** Whether the user had the view. */
export async function deleteSavedViewRow(
  trx: Transaction<AccountsTables>,
  userId: number,
  id: number,
): Promise<boolean> {
  const deleted = await trx
    .deleteFrom('saved_views')
    .where('user_id', '=', userId)
    .where('id', '=', sql<number>`${id}::bigint`)
    .returning('id')
    .executeTakeFirst();
  return deleted !== undefined;
}

export async function deleteSavedViewsOf(trx: Transaction<AccountsTables>, userId: number): Promise<void> {
  await trx.deleteFrom('saved_views').where('user_id', '=', userId).execute();
}
