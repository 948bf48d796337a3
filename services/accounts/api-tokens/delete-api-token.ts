import { requirePermission, selectorsNamed } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvent, type Database, type EventOrigin, eventOrigin } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { requireProject } from '../project-access/require-project.ts';
import {
  apiTokenEventData,
  apiTokenNotFound,
  apiTokenPlace,
  permissionFor,
  requireOwnToken,
  type StoredApiToken,
} from './api-token.ts';
import { lockApiToken, retireApiToken } from './api-tokens.repo.ts';

interface Parts {
  db: Database<AccountsTables>;
  bus: Bus;
}

/** Deletes a token, when the caller may delete one of its kind. */
export async function deleteApiToken(
  parts: Parts,
  { token }: { token: string },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  // Nothing when there is no such token, so that asking twice is asking once.
  await retire(parts, token, origin, (stored) => requirePermission(origin.actor, permissionFor('DELETE', stored.kind)));
}

/** Deletes an SDK token that is of this project alone. */
export async function deleteProjectApiToken(
  parts: Parts,
  { projectId, token }: { projectId: string; token: string },
  context: RequestContext,
): Promise<void> {
  await requireProject(parts.bus, projectId, context);
  const isRetired = await retire(parts, token, eventOrigin(context), (stored) => requireOwnToken(stored, projectId));
  if (!isRetired) throw apiTokenNotFound(projectId);
}

/** Whether there was such a token. Gateways forget it at once. */
async function retire(
  { db, bus }: Parts,
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
