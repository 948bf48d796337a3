import type { RequestContext } from '@yardarm/shared/bus';
import type { SavedView } from '@yardarm/shared/contracts/accounts';
import { isUniqueViolation } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { requireAccount } from '../users/caller.ts';
import { type SavedViewDefinition, savedViewNameTaken, savedViewNotFound, toSavedView } from './saved-view.ts';
import { savedViewNameConstraint, updateSavedViewRow } from './saved-views.repo.ts';

export async function updateSavedView(
  { db }: AccountsResources,
  { id, ...definition }: SavedViewDefinition & { id: number },
  { actor }: RequestContext,
): Promise<SavedView> {
  const userId = requireAccount(actor, 'saved views');
  try {
    const view = await db.transaction((trx) => updateSavedViewRow(trx, userId, id, definition));
    if (!view) throw savedViewNotFound(id);
    return toSavedView(view);
  } catch (error) {
    if (isUniqueViolation(error, savedViewNameConstraint)) throw savedViewNameTaken(definition.name);
    throw error;
  }
}
