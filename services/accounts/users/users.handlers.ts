import type { RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import {
  type getMe as getMeContract,
  type getProfile as getProfileContract,
  type listAssignable as listAssignableContract,
  maxFoundUsers,
  type Role,
  type searchUsers as searchUsersContract,
  type User,
} from '@yardarm/shared/contracts/accounts';
import { type Database, eventOrigin } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsTables } from '../db/schema.ts';
import { findFeedback } from '../feedback/feedback.repo.ts';
import { toFeedback } from '../feedback/store-feedback.ts';
import type { AccountsResources } from '../resources.ts';
import { adminRoleId, toRole } from '../roles/role.ts';
import { findRootRoles } from '../roles/roles.repo.ts';
import { findSeenSplashes } from '../splashes/seen-splashes.repo.ts';
import {
  holderOfAdminToken,
  projectsOf,
  type StoredUser,
  toSignedInUser,
  toUser,
  toUserName,
  userNotFound,
} from './user.ts';
import * as users from './users.repo.ts';

/** Almost every name contains any one letter. */
const minQueryLength = 2;

/** All people and the root roles, from one snapshot. */
export async function listUsers({ db }: AccountsResources): Promise<{ users: User[]; rootRoles: Role[] }> {
  const { people, rootRoles } = await db.transaction(
    async (trx) => ({ people: await users.findUsers(trx, 'user'), rootRoles: await findRootRoles(trx) }),
    { isolation: 'repeatable read', readOnly: true },
  );
  return { users: people.map(toUser), rootRoles: rootRoles.map(toRole) };
}

/** The first people whose names match; none for a query that is too short. */
export async function searchUsers(
  { db }: AccountsResources,
  { query }: { query: string },
): Promise<z.input<typeof searchUsersContract.output>> {
  if (query.length < minQueryLength) return { users: [] };
  return { users: (await users.searchUsers(db.kysely, query, maxFoundUsers)).map(toUserName) };
}

/** All users, service accounts and groups, for selection lists. */
export async function listAssignable({
  db,
}: AccountsResources): Promise<z.input<typeof listAssignableContract.output>> {
  const found = [
    ...(await users.findUsers(db.kysely, 'user')),
    ...(await users.findUsers(db.kysely, 'service-account')),
  ];
  return {
    users: found.map((user) => ({ ...toUserName(user), rootRole: user.rootRole })),
    groups: await users.findGroupNames(db.kysely),
  };
}

export async function getUser({ db }: AccountsResources, { userId }: { userId: number }): Promise<User> {
  const user = await users.findUser(db.kysely, userId, 'user');
  if (!user) throw userNotFound(userId);
  return toUser(user);
}

export function countAdmins({ db }: AccountsResources) {
  return users.countAdmins(db.kysely);
}

export async function listAdmins({ db }: AccountsResources): Promise<{ admins: ReturnType<typeof toUserName>[] }> {
  const admins = (await users.findUsers(db.kysely, 'user')).filter(({ rootRole }) => rootRole === adminRoleId);
  return { admins: admins.map(toUserName) };
}

export async function getMe(
  { db }: AccountsResources,
  _: object,
  context: RequestContext,
): Promise<z.output<typeof getMeContract.output>> {
  const caller = await findCaller(db, eventOrigin(context).actor);
  const seen = await findSeenSplashes(db.kysely, caller.id);
  const feedback = await findFeedback(db.kysely, caller.id);
  return {
    ...toSignedInUser(caller),
    splash: Object.fromEntries(seen.map((id) => [id, true as const])),
    feedback: feedback.map(toFeedback),
  };
}

export async function getProfile(
  { db }: AccountsResources,
  _: object,
  context: RequestContext,
): Promise<z.input<typeof getProfileContract.output>> {
  const { actor } = eventOrigin(context);
  const caller = await findCaller(db, actor);
  const rootRole = await rootRoleOfUser(db, caller);
  const canChangePassword = await users.hasPassword(db.kysely, caller.id);
  const groups = await users.findGroupNames(db.kysely, caller.id);
  return {
    ...{ rootRole, canChangePassword, projects: projectsOf(actor.grants) },
    groups: groups.map(({ id, name, description }) => ({ id, name, description })),
  };
}

/** The root role of the caller and, with a project, the roles of the caller there. */
export async function listOwnRoles(
  { db }: AccountsResources,
  { projectId }: { projectId?: string | undefined },
  context: RequestContext,
): Promise<{ roles: Role[] }> {
  const caller = await findCaller(db, eventOrigin(context).actor);
  const inProject = projectId === undefined ? [] : await users.findProjectRoles(db.kysely, caller.id, projectId);
  return { roles: [await rootRoleOfUser(db, caller), ...inProject.map(toRole)] };
}

async function findCaller(db: Database<AccountsTables>, actor: Actor): Promise<StoredUser> {
  if (actor.kind === 'admin-token') return holderOfAdminToken(actor);
  const user = await users.findUser(db.kysely, actor.id);
  if (!user) throw userNotFound(actor.id);
  return user;
}

async function rootRoleOfUser(db: Database<AccountsTables>, { rootRole }: StoredUser): Promise<Role> {
  const role = (await findRootRoles(db.kysely)).find(({ id }) => id === rootRole);
  if (!role) throw new Error(`the role ${rootRole} is not a root role`);
  return toRole(role);
}
