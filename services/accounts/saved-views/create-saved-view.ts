import type { RequestContext } from '@yardarm/shared/bus';
import type { SavedView } from '@yardarm/shared/contracts/accounts';
import { isUniqueViolation } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { lockCaller } from '../users/caller.ts';
import { requireBelowSavedViewLimit, type SavedViewDefinition, savedViewNameTaken, toSavedView } from './saved-view.ts';
import { countSavedViews, insertSavedView, savedViewNameConstraint } from './saved-views.repo.ts';

/** Concurrent requests of a user wait for each other, so that they do not exceed the limit. */
export async function createSavedView(
  { db }: AccountsResources,
  definition: SavedViewDefinition,
  { actor }: RequestContext,
): Promise<SavedView> {
  try {
    return await db.transaction(async (trx) => {
      const userId = await lockCaller(trx, actor, 'saved views');
      requireBelowSavedViewLimit(await countSavedViews(trx, userId));
      return toSavedView(await insertSavedView(trx, userId, definition));
    });
  } catch (error) {
    if (isUniqueViolation(error, savedViewNameConstraint)) throw savedViewNameTaken(definition.name);
    throw error;
  }
}
