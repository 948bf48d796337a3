import type { RequestContext } from '@yardarm/shared/bus';
import { maxSplashesPerUser, type SeenSplash } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { AccountsResources } from '../resources.ts';
import { insertSeenSplash, lockSeenSplashes } from './seen-splashes.repo.ts';

/** Concurrent requests of a user wait for each other, so that they do not exceed the limit. */
export async function markSplashSeen(
  { db }: AccountsResources,
  { splashId }: { splashId: string },
  { actor }: RequestContext,
): Promise<SeenSplash> {
  if (!actor || actor.kind === 'admin-token') throw noUser();
  const userId = actor.id;
  await db.transaction(async (trx) => {
    const seen = await lockSeenSplashes(trx, userId);
    if (!seen) throw noUser();
    if (seen.includes(splashId)) return;
    if (seen.length >= maxSplashesPerUser) throw tooManySplashes();
    await insertSeenSplash(trx, userId, splashId);
  });
  return { userId, splashId, seen: true };
}

/** The caller is an admin token or a user who was deleted. */
function noUser(): AppError {
  return new AppError('forbidden', 'Splashes are stored for users and service accounts. An admin token is neither.');
}

function tooManySplashes(): AppError {
  return new AppError('limit-exceeded', `You have seen ${maxSplashesPerUser} splashes; no more are stored for a user.`);
}
