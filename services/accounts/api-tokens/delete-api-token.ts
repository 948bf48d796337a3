import { possibleSelectors, requirePermission } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type EventOrigin, eventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { deleteOrphanedToken, lockOrphanedToken } from '../orphaned-tokens/orphaned-tokens.repo.ts';
import { requireProject } from '../project-access/require-project.ts';
import type { AccountsResources } from '../resources.ts';
import {
  type ApiTokenScope,
  apiTokenEventData,
  apiTokenNotFound,
  apiTokenPlace,
  permissionFor,
  requireOwnToken,
} from './api-token.ts';
import { lockApiToken, retireApiTokens } from './api-tokens.repo.ts';

/** Deletes a token, if the caller may delete one of its kind. */
export async function deleteApiToken(
  resources: AccountsResources,
  { token }: { token: string },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  // A missing token is no error, so that a repeated request succeeds.
  await retire(resources, token, origin, (stored) =>
    requirePermission(origin.actor, permissionFor('DELETE', stored.kind)),
  );
}

export async function deleteProjectApiToken(
  resources: AccountsResources,
  { projectId, token }: { projectId: string; token: string },
  context: RequestContext,
): Promise<void> {
  await requireProject(resources.bus, projectId, context);
  const isRetired = await retire(resources, token, eventOrigin(context), (stored) =>
    requireOwnToken(stored, projectId),
  );
  if (!isRetired) throw apiTokenNotFound(projectId);
}

/**
 * Returns false when the token does not exist. A hint makes gateways forget it at once. An orphaned token has no second
 * event: that of its environment's deletion said that it is deleted.
 */
async function retire(
  { db, bus }: AccountsResources,
  token: string,
  origin: EventOrigin,
  requireAllowed: (stored: ApiTokenScope) => void,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const selectors = possibleSelectors(token);
    const stored = await lockApiToken(trx, selectors);
    // The first lock waits for a running deletion of the environment, and this one then finds the token.
    if (!stored) return retireOrphanedToken(trx, bus, selectors, requireAllowed);
    requireAllowed(stored);
    await retireApiTokens(trx, [stored]);
    appendEvent(trx, {
      type: 'api-token-deleted',
      preData: apiTokenEventData(stored),
      ...apiTokenPlace(stored),
      ...origin,
    });
    trx.onCommit(() => bus.hint(tokenChangedHint, { selector: stored.selector }));
    return true;
  });
}

async function retireOrphanedToken(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  selectors: readonly string[],
  requireAllowed: (stored: ApiTokenScope) => void,
): Promise<boolean> {
  const orphaned = await lockOrphanedToken(trx, selectors);
  if (!orphaned) return false;
  requireAllowed(orphaned);
  await deleteOrphanedToken(trx, orphaned.id);
  trx.onCommit(() => bus.hint(tokenChangedHint, { selector: orphaned.selector }));
  return true;
}
