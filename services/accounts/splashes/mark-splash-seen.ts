import type { RequestContext } from '@yardarm/shared/bus';
import { maxSplashesPerUser, type SeenSplash } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { AccountsResources } from '../resources.ts';
import { lockCaller } from '../users/caller.ts';
import { findSeenSplashes, insertSeenSplash } from './seen-splashes.repo.ts';

/** Concurrent requests of a user wait for each other, so that they do not exceed the limit. */
export async function markSplashSeen(
  { db }: AccountsResources,
  { splashId }: { splashId: string },
  { actor }: RequestContext,
): Promise<SeenSplash> {
  return db.transaction(async (trx) => {
    const userId = await lockCaller(trx, actor, 'splashes');
    const answer = { userId, splashId, seen: true };
    const seen = await findSeenSplashes(trx, userId);
    if (seen.includes(splashId)) return answer;
    if (seen.length >= maxSplashesPerUser) throw tooManySplashes();
    await insertSeenSplash(trx, userId, splashId);
    return answer;
  });
}

function tooManySplashes(): AppError {
  return new AppError('limit-exceeded', `You have seen ${maxSplashesPerUser} splashes; no more are stored for a user.`);
}
