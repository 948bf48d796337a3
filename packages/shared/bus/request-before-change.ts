import { AppError } from '../errors/index.ts';
import type { RequestContext } from './bus.ts';

/**
 * Asks other services what a change needs: questions, and preparations that may be repeated and do no harm without the
 * change. Gives them half of the time that the request has left, so that its caller gets an answer. Throws
 * `unavailable` instead of `timeout`, because nothing was changed.
 */
export async function requestBeforeChange<Answer>(
  context: RequestContext,
  ask: (context: RequestContext) => Promise<Answer>,
): Promise<Answer> {
  const now = Date.now();
  try {
    return await ask({ ...context, deadline: now + (context.deadline - now) / 2 });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'timeout') throw error;
    const message = 'A service that has to be asked before the change did not answer in time; nothing was done.';
    throw new AppError('unavailable', message, { retryAfterSeconds: 1, cause: error });
  }
}
