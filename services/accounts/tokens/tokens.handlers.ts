import { AppError } from '@yardarm/shared/errors';
import type { AccountsResources } from '../resources.ts';
import { resolve } from './token.ts';
import { findTokenBySelector, markSeen } from './tokens.repo.ts';

/**
 * The token with this selector and what it may do. While tokens of the settings are yet to be made, one that is not found may be among
 * them: `unavailable`, which no gateway remembers, and not "there is none".
 */
export async function resolveToken({ db, initialTokensFault }: AccountsResources, { selector }: { selector: string }) {
  // Asked before the look: what is made after it must not be missed by both.
  const fault = initialTokensFault();
  const stored = await findTokenBySelector(db.kysely, selector);
  if (!stored && fault !== null) {
    throw new AppError('unavailable', 'The tokens that the settings give are not all made yet.', {
      retryAfterSeconds: 1,
    });
  }
  return { token: stored && resolve(stored) };
}

/** Takes what a gateway tells of the tokens that it let in. */
export async function reportSeenTokens(
  { db }: AccountsResources,
  { seen }: { seen: readonly { id: number; at: string }[] },
): Promise<void> {
  if (seen.length > 0) await markSeen(db.kysely, seen);
}
