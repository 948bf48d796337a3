import type { Actor } from '@yardarm/shared/contracts';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';

/** A personal access token of a person or a service account as stored, without its secret. */
export interface StoredPersonalToken {
  id: number;
  userId: number;
  description: string;
  createdAt: Date;
  seenAt: Date | null;
  expiresAt: Date;
}

/** The secret is known only when the token was just created. */
export function toPersonalToken(stored: StoredPersonalToken, secret?: string): PersonalToken {
  return {
    id: stored.id,
    ...(secret !== undefined && { secret }),
    createdAt: stored.createdAt.toISOString(),
    seenAt: stored.seenAt?.toISOString() ?? null,
    userId: stored.userId,
    description: stored.description,
    expiresAt: stored.expiresAt.toISOString(),
  };
}

export function personalTokenEventData(stored: StoredPersonalToken): Record<string, unknown> {
  const { id, description, userId, createdAt, expiresAt } = stored;
  return { id, description, userId, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

/** Throws `forbidden` for service accounts and admin tokens, which cannot create personal tokens. */
export function requirePerson(actor: Actor | null): number {
  if (actor?.kind === 'user') return actor.id;
  throw noPerson();
}

/** The caller is not a person, or was deleted. */
export function noPerson(): AppError {
  return new AppError('forbidden', 'PATs require an authenticated user.');
}

export function requireBelowPersonalTokenLimit(count: number, limit: number): void {
  if (count < limit) return;
  throw new AppError(
    'operation-denied',
    `You have ${count} personal access tokens already; there can be at most ${limit} per user. Delete one that is no longer used.`,
  );
}

export function descriptionTaken(description: string): AppError {
  const text = redactValue(description, ['description']);
  return new AppError('name-exists', `There is already a token of this account with the description ${text}.`);
}

export function callerTokenEnded(): AppError {
  return new AppError('forbidden', 'The session or token of this request has ended. Log in again.');
}

export function personalTokenNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the personal access token with ID "${id}".`);
}
