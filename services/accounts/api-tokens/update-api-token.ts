import { possibleSelectors, requirePermission } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { decideExpiry } from '../tokens/token.ts';
import { apiTokenEventData, apiTokenPlace, permissionFor } from './api-token.ts';
import { lockApiToken, updateApiTokenExpiry } from './api-tokens.repo.ts';

/** Changes the expiry of a token. A hint makes gateways forget the token, since they cache it with its expiry. */
export async function updateApiToken(
  { db, bus }: AccountsResources,
  { token, expiresAt }: { token: string; expiresAt: string | null },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  const expiry = expiresAt === null ? null : decideExpiry(expiresAt, new Date());
  await db.transaction(async (trx) => {
    const before = await lockApiToken(trx, possibleSelectors(token));
    if (!before) return;
    requirePermission(origin.actor, permissionFor('UPDATE', before.kind));
    if (before.expiresAt?.getTime() === expiry?.getTime()) return;
    await updateApiTokenExpiry(trx, before.id, expiry);
    appendEvent(trx, {
      type: 'api-token-updated',
      data: apiTokenEventData({ ...before, expiresAt: expiry }),
      preData: apiTokenEventData(before),
      ...apiTokenPlace(before),
      ...origin,
    });
    trx.onCommit(() => bus.hint(tokenChangedHint, { selector: before.selector }));
  });
}
