import { possibleSelectors, requirePermission } from '@yardarm/shared/auth';
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

/** Returns false when the token does not exist. A hint makes gateways forget it at once. */
async function retire(
  { db, bus }: AccountsResources,
  token: string,
  origin: EventOrigin,
  requireAllowed: (stored: StoredApiToken) => void,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const stored = await lockApiToken(trx, possibleSelectors(token));
    if (!stored) return false;
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
