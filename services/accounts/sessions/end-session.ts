import type { RequestContext } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { deleteSession } from './sessions.repo.ts';

export async function endSession(
  { db, bus }: AccountsResources,
  { sessionId }: { sessionId: number },
  { actor }: RequestContext,
): Promise<void> {
  if (actor?.kind !== 'user') return;
  await db.transaction(async (trx) => {
    const selector = await deleteSession(trx, { userId: actor.id, sessionId });
    if (selector !== null) trx.onCommit(() => bus.hint(tokenChangedHint, { selector }));
  });
}
