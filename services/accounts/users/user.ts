import { createHash } from 'node:crypto';
import { type Actor, type Grant, permissions } from '@yardarm/shared/contracts';
import type { SignedInUser, User } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { adminRoleId, requireRootRole, type StoredRole } from '../roles/role.ts';

/**
 * A living user as stored. People and service accounts share one id space and one table; a person has a username, an e-mail address
 * or both, a service account a name and a username.
 *
 * The last admin: while there is a person with the root role Admin, there always is one. Whoever would delete the last of them, or give
 * them another root role, is refused. Every such change first locks the row of the role, so that of two admins who delete each
 * other at once the second finds that he is the last. Service accounts, admin tokens and admins by a group do not count: none of them
 * can be relied on to log in and let people in again.
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
  /** The last login. */
  seenAt: Date | null;
  createdAt: Date;
}

/** Viewer: the row of a deleted user has to have a root role, and this one can never be deleted. */
export const rootRoleOfTheDeleted = 3;

/** What an update may change. */
export type UserChange = Pick<StoredUser, 'name' | 'email' | 'rootRole'>;

/** The address of a generated picture: the same for the same name, and it tells nothing that the name does not. */
export function imageUrlOf(name: string): string {
  return `https://gravatar.com/avatar/${createHash('sha256').update(name).digest('hex')}?s=42&d=retro&r=g`;
}

/** What everybody may know of a user, in the wire shape. */
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

/** The wire shape. No mail is sent, and an invite link is shown once, by the answer that makes it. */
export function toUser(stored: StoredUser): User {
  return {
    ...toUserName(stored),
    inviteLink: '',
    loginAttempts: stored.loginAttempts,
    emailSent: false,
    rootRole: stored.rootRole,
    seenAt: stored.seenAt?.toISOString() ?? null,
    createdAt: stored.createdAt.toISOString(),
  };
}

/** The wire shape for the user themselves. */
export function toSignedInUser(stored: StoredUser): SignedInUser {
  return { ...toUser(stored), ...(stored.mustChangePassword && { mustChangePassword: true }) };
}

/** The holder of an admin token, who is nobody in the table, in the shape of a user: an admin since ever. */
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

/** What an event says of a user. */
export function userEventData({ id, name, username, email, rootRole }: StoredUser): Record<string, unknown> {
  return { id, name, username, email, rootRole };
}

/** The user after an update, in which what is absent stays; null when nothing changes. */
export function changed(stored: StoredUser, change: { [P in keyof UserChange]?: UserChange[P] | undefined }) {
  const { name = stored.name, email = stored.email, rootRole = stored.rootRole } = change;
  const isSame = name === stored.name && email === stored.email && rootRole === stored.rootRole;
  return isSame ? null : { name, email, rootRole };
}

/**
 * The root role that is named by its id, or by its name in whatever case; `bad-data` naming the value when it is none. Text in digits is
 * an id before it is a name: forms send ids as text, and hardly anybody calls a role by a number.
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

/** The projects in which these grants permit something that belongs to a project; null when they permit it in every one. */
export function projectsOf(grants: readonly Grant[]): string[] | null {
  const held = grants.filter((grant) =>
    grant.permissions.some((name) => name === 'ADMIN' || permissions[name].scope !== 'root'),
  );
  if (held.some(({ projects }) => projects === undefined)) return null;
  return [...new Set(held.flatMap(({ projects }) => projects ?? []))].sort();
}

/** Throws unless this user may be deleted by this actor: nobody deletes oneself. */
export function refuseDeletingOneself(id: number, actor: Pick<Actor, 'id'>): void {
  if (id !== actor.id) return;
  throw new AppError('bad-data', `You cannot delete yourself: the ID "${id}" is your own. Another admin can.`);
}

/** `bad-data` of a change that would leave nobody with the root role Admin. */
export function lastAdmin(id: number): AppError {
  return new AppError(
    'bad-data',
    `The user with ID "${id}" is the last admin: make another user an admin first, so that somebody can still log in as one.`,
  );
}

/** `bad-data` of a user without any name to log in by. */
export function namelessUser(): AppError {
  return new AppError(
    'bad-data',
    'You must specify username or email: the .username and .email properties are absent.',
  );
}

/** `bad-data` of a name to log in by that another user or service account has, in whatever case. */
export function nameTaken(property: 'username' | 'email', value: string | null | undefined): AppError {
  return new AppError(
    'bad-data',
    `User already exists: the .${property} property should be one that no other user or service account has. You sent ${redactValue(value, [property])}.`,
  );
}

/** `not-found` of a user. */
export function userNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the user with ID "${id}".`);
}

/** All that happens to a user or service account, its tokens included, is published in order. */
export function userOrderingKey(userId: number): string {
  return `user:${userId}`;
}
