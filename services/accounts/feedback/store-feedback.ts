import type { RequestContext } from '@yardarm/shared/bus';
import { type storeFeedback as contract, type Feedback, maxFeedbackPerUser } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { lockCaller } from '../users/caller.ts';
import { findFeedback, type StoredFeedback, upsertFeedback } from './feedback.repo.ts';

/** Concurrent requests of a user wait for each other, so that they do not exceed the limit. */
export async function storeFeedback(
  { db }: AccountsResources,
  { feedbackId, neverShow, given }: z.output<typeof contract.input>,
  { actor }: RequestContext,
): Promise<Feedback> {
  return db.transaction(async (trx) => {
    const userId = await lockCaller(trx, actor, 'feedback');
    const stored = await findFeedback(trx, userId);
    const before = stored.find((each) => each.feedbackId === feedbackId);
    if (!before && stored.length >= maxFeedbackPerUser) throw tooMuchFeedback();
    const after = {
      ...{ neverShow: false, given: null, ...before, userId, feedbackId },
      ...(neverShow !== undefined && { neverShow }),
      ...(given !== undefined && { given: given === null ? null : new Date(given) }),
    };
    await upsertFeedback(trx, after);
    return toFeedback(after);
  });
}

export function toFeedback(stored: StoredFeedback): Feedback {
  return { ...stored, given: stored.given?.toISOString() ?? null };
}

function tooMuchFeedback(): AppError {
  return new AppError(
    'limit-exceeded',
    `You have answered ${maxFeedbackPerUser} questions; no more are stored for a user.`,
  );
}
