import { requirePermission, selectorsNamed } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type EventOrigin, eventOrigin } from '@yardarm/shared/db';
import { requireProject } from '../project-access/require-project.ts';
import type { AccountsResources } from '../resources.ts';
import {
  apiTokenEventData,
  apiTokenNotFound,
  apiTokenPlace,
  permissionFor,
  requireOwnToken,
  type StoredApiToken,
} from './api-token.ts';
import { lockApiToken, retireApiToken } from './api-tokens.repo.ts';

/** Deletes a token, when the caller may delete one of its kind. */
export async function deleteApiToken(
  resources: AccountsResources,
  { token }: { token: string },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  // Nothing when there is no such token, so that asking twice is asking once.
  await retire(resources, token, origin, (stored) =>
    requirePermission(origin.actor, permissionFor('DELETE', stored.kind)),
  );
}

/** Deletes an SDK token that is of this project alone. */
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

/** Whether there was such a token. Gateways forget it at once. */
async function retire(
  { db, bus }: AccountsResources,
  token: string,
  origin: EventOrigin,
  requireAllowed: (stored: StoredApiToken) => void,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const stored = await lockApiToken(trx, selectorsNamed(token));
    if (!stored) return false;
    requireAllowed(stored);
    await retireApiToken(trx, stored);
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
