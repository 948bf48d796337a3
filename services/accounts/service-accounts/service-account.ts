import type { PersonalToken, ServiceAccount } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { imageUrlOf, type StoredUser } from '../users/user.ts';

export interface StoredServiceAccount {
  id: number;
  name: string;
  username: string;
  rootRole: number;
  createdAt: Date;
}

export function asServiceAccount({ id, name, username, rootRole, createdAt }: StoredUser): StoredServiceAccount {
  if (name === null || username === null) throw new Error(`the service account ${id} has no name`);
  return { id, name, username, rootRole, createdAt };
}

/** Deprecated fields have their documented constants. */
export function toServiceAccount(stored: StoredServiceAccount, tokens: PersonalToken[]): ServiceAccount {
  return {
    id: stored.id,
    name: stored.name,
    username: stored.username,
    imageUrl: imageUrlOf(stored.username),
    rootRole: stored.rootRole,
    createdAt: stored.createdAt.toISOString(),
    tokens,
    isAPI: true,
    email: 'noemail@getunleash.io',
    inviteLink: '',
    loginAttempts: 0,
    emailSent: false,
    seenAt: null,
  };
}

export function serviceAccountEventData({ createdAt, ...stored }: StoredServiceAccount): Record<string, unknown> {
  return { ...stored, createdAt: createdAt.toISOString() };
}

export function usernameTaken(username: string): AppError {
  const text = redactValue(username, ['username']);
  return new AppError('name-exists', `There is already a user or service account with the username ${text}.`);
}

export function serviceAccountNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the service account with ID "${id}".`);
}
