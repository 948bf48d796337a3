import type { RequestContext } from '@yardarm/shared/bus';
import type { SavedView } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { requireAccount } from '../users/caller.ts';
import { savedViewNotFound, toSavedView } from './saved-view.ts';
import { deleteSavedViewRow, findSavedViews } from './saved-views.repo.ts';

export async function listSavedViews(
  { db }: AccountsResources,
  _: object,
  { actor }: RequestContext,
): Promise<{ views: SavedView[] }> {
  const views = await findSavedViews(db.kysely, requireAccount(actor, 'saved views'));
  return { views: views.map(toSavedView) };
}

export async function deleteSavedView(
  { db }: AccountsResources,
  { id }: { id: number },
  { actor }: RequestContext,
): Promise<void> {
  const userId = requireAccount(actor, 'saved views');
  const isDeleted = await db.transaction((trx) => deleteSavedViewRow(trx, userId, id));
  if (!isDeleted) throw savedViewNotFound(id);
}
