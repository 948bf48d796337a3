import { AppError } from '@yardarm/shared/errors';
import { findOrphanedToken } from '../orphaned-tokens/orphaned-tokens.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { resolve } from './token.ts';
import { findSelectors, findTokenBySelector, markSeen } from './tokens.repo.ts';

/**
 * The token with this selector and what it may do. One of a deleted environment moves from one table to the other, so
 * the second is read after the first. While initial tokens are not created yet, a missing token may be
 * one of them: the answer is `unavailable`, which gateways do not cache, and not null.
 */
export async function resolveToken(
  { db, initialTokensProblem }: AccountsResources,
  { selector }: { selector: string },
) {
  // Read before the lookup. Read after it, the token could be created in between and be missed by both.
  const problem = initialTokensProblem();
  const stored = (await findTokenBySelector(db.kysely, selector)) ?? (await findOrphanedToken(db.kysely, selector));
  if (!stored && problem !== null) throw notAllCreated();
  return { token: stored && resolve(stored) };
}

/** Those of the selectors that a token has, also one of a deleted environment or owner. */
export async function findExistingSelectors(
  { db, initialTokensProblem }: AccountsResources,
  { selectors }: { selectors: readonly string[] },
): Promise<{ existing: string[] }> {
  if (initialTokensProblem() !== null) throw notAllCreated();
  return { existing: await findSelectors(db.kysely, selectors) };
}

function notAllCreated(): AppError {
  return new AppError('unavailable', 'The tokens of the settings are not all created yet.', { retryAfterSeconds: 1 });
}

export async function reportSeenTokens(
  { db }: AccountsResources,
  { seen }: { seen: readonly { id: number; at: string }[] },
): Promise<void> {
  if (seen.length > 0) await markSeen(db.kysely, seen);
}
