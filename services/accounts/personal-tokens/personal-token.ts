import type { Actor } from '@yardarm/shared/contracts';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';

/** A personal access token, of a person or of a service account, as stored; its secret is not. */
export interface StoredPersonalToken {
  id: number;
  userId: number;
  description: string;
  createdAt: Date;
  seenAt: Date | null;
  expiresAt: Date;
}

/** The wire shape. The secret is known only where it was just made. */
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

/** What an event says of a personal token. */
export function personalTokenEventData(stored: StoredPersonalToken): Record<string, unknown> {
  const { id, description, userId, createdAt, expiresAt } = stored;
  return { id, description, userId, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

/** The id of the person who asks, or `forbidden`: service accounts and admin tokens have no personal tokens of their own making. */
export function requirePerson(actor: Actor | null): number {
  if (actor?.kind === 'user') return actor.id;
  throw noPerson();
}

/** `forbidden` of somebody who is no person, or no longer one. */
export function noPerson(): AppError {
  return new AppError('forbidden', 'PATs require an authenticated user.');
}

/** Throws `operation-denied` unless a person with this many tokens may make one more. */
export function requireRoomForPersonalToken(count: number, limit: number): void {
  if (count < limit) return;
  throw new AppError(
    'operation-denied',
    `You have ${count} personal access tokens already; there can be at most ${limit} per user. Delete one that is no longer used.`,
  );
}

/** `name-exists` of a description that the same account has on another token. */
export function descriptionTaken(description: string): AppError {
  const shown = redactValue(description, ['description']);
  return new AppError('name-exists', `There is already a token of this account with the description ${shown}.`);
}

/** `not-found` of a token of the person who asks. */
export function personalTokenNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the personal access token with ID "${id}".`);
}
