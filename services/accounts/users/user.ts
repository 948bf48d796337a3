import { createHash } from 'node:crypto';
import { type Actor, type Grant, permissions } from '@yardarm/shared/contracts';
import type { SignedInUser, User } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { adminRoleId, requireRootRole, type StoredRole } from '../roles/role.ts';

/**
 * A user or service account as stored, unless deleted. Both share one table and one id space. A person has a
 * username, an e-mail address or both; a service account has a name and a username.
 *
 * The last admin: while a person with the root role Admin exists, at least one remains. Deleting the last one, or
 * changing their root role, is refused. Each such change first locks the row of the role, so that of two admins who
 * delete each other at the same time one is refused. Service accounts, admin tokens and admins by a group do not
 * count: none of them is sure to be able to log in and let others in again.
 */
export interface StoredUser {
  id: number;
  kind: 'user' | 'service-account';
  name: string | null;
  username: string | null;
  email: string | null;
  rootRole: number;
  loginAttempts: number;
  mustChangePassword: boolean;
  seenAt: Date | null;
  createdAt: Date;
}

/** Viewer. The row of a deleted user needs a root role, and this one cannot be deleted. */
export const rootRoleOfDeletedUsers = 3;

export type UserChange = Pick<StoredUser, 'name' | 'email' | 'rootRole'>;

/** The address of a generated picture. It depends on the name alone and reveals nothing else. */
export function imageUrlOf(name: string): string {
  return `https://gravatar.com/avatar/${createHash('sha256').update(name).digest('hex')}?s=42&d=retro&r=g`;
}

/** The part of the wire shape that every user may see. */
export function toUserName({
  id,
  kind,
  name,
  username,
  email,
}: Pick<StoredUser, 'id' | 'kind' | 'name' | 'username' | 'email'>): Pick<
  User,
  'id' | 'name' | 'username' | 'email' | 'imageUrl' | 'accountType'
> {
  return {
    id,
    ...(name !== null && { name }),
    ...(username !== null && { username }),
    ...(email !== null && { email }),
    imageUrl: imageUrlOf(email ?? username ?? String(id)),
    accountType: kind === 'user' ? 'User' : 'Service Account',
  };
}

/** No mail is sent. Only the answer that creates an invite link contains it. */
export function toUser(stored: StoredUser): User {
  return {
    ...toUserName(stored),
    inviteLink: '',
    loginAttempts: stored.loginAttempts,
    emailSent: false,
    rootRole: stored.rootRole,
    seenAt: stored.seenAt?.toISOString() ?? null,
    createdAt: stored.createdAt.toISOString(),
    scimId: null,
    seatType: null,
    companyRole: null,
    productUpdatesEmailConsent: null,
  };
}

export function toSignedInUser(stored: StoredUser): SignedInUser {
  return { ...toUser(stored), ...(stored.mustChangePassword && { mustChangePassword: true }) };
}

/** An admin token as a user. It has no row in the table; its creation date is the epoch. */
export function holderOfAdminToken({ id, username }: Pick<Actor, 'id' | 'username'>): StoredUser {
  return {
    id,
    kind: 'user',
    name: null,
    username,
    email: null,
    rootRole: adminRoleId,
    loginAttempts: 0,
    mustChangePassword: false,
    seenAt: null,
    createdAt: new Date(0),
  };
}

export function userEventData({ id, name, username, email, rootRole }: StoredUser): Record<string, unknown> {
  return { id, name, username, email, rootRole };
}

/** The changed properties together with the unchanged ones; null when nothing changes. */
export function applyChange(stored: StoredUser, change: { [P in keyof UserChange]?: UserChange[P] | undefined }) {
  const { name = stored.name, email = stored.email, rootRole = stored.rootRole } = change;
  const isSame = name === stored.name && email === stored.email && rootRole === stored.rootRole;
  return isSame ? null : { name, email, rootRole };
}

/**
 * Finds a root role by id, or by name in any case. Digits are first read as an id: forms send ids as text, and role
 * names are hardly ever numbers.
 */
export function rootRoleOf(reference: number | string, rootRoles: readonly StoredRole[]): number {
  if (typeof reference === 'number') {
    requireRootRole(reference, rootRoles);
    return reference;
  }
  const role =
    rootRoles.find(({ id }) => String(id) === reference) ??
    rootRoles.find(({ name }) => name.toLowerCase() === reference.toLowerCase());
  if (role) return role.id;
  const names = rootRoles.map(({ name }) => name).join(', ');
  throw new AppError(
    'bad-data',
    `The .rootRole property should be the id or the name of a root role: ${names}. You sent ${redactValue(reference, ['rootRole'])}.`,
  );
}

/** The projects in which these grants permit something of project scope; null when they do in every project. */
export function projectsOf(grants: readonly Grant[]): string[] | null {
  const projectGrants = grants.filter((grant) =>
    grant.permissions.some((name) => name === 'ADMIN' || permissions[name].scope !== 'root'),
  );
  if (projectGrants.some(({ projects }) => projects === undefined)) return null;
  return [...new Set(projectGrants.flatMap(({ projects }) => projects ?? []))].sort();
}

export function refuseDeletingOneself(id: number, actor: Pick<Actor, 'id'>): void {
  if (id !== actor.id) return;
  throw new AppError('bad-data', `You cannot delete yourself: the ID "${id}" is your own. Another admin can.`);
}

export function lastAdmin(id: number): AppError {
  return new AppError(
    'bad-data',
    `The user with ID "${id}" is the last admin: make another user an admin first, so that somebody can still log in as one.`,
  );
}

export function namelessUser(): AppError {
  return new AppError(
    'bad-data',
    'You must specify username or email: the .username and .email properties are absent.',
  );
}

export function nameTaken(property: 'username' | 'email', value: string | null | undefined): AppError {
  return new AppError(
    'bad-data',
    `User already exists: the .${property} property should be one that no other user or service account has. You sent ${redactValue(value, [property])}.`,
  );
}

export function userNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the user with ID "${id}".`);
}

/** The events of a user or service account and of its tokens share one ordering key. */
export function userOrderingKey(userId: number): string {
  return `user:${userId}`;
}
