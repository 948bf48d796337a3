import { inPieces, type RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import {
  type getProfile as getProfileContract,
  type listAssignable as listAssignableContract,
  maxFound,
  type Role,
  type SignedInUser,
  type searchUsers as searchUsersContract,
  type User,
} from '@yardarm/shared/contracts/accounts';
import { type Database, eventOrigin } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsTables } from '../db/schema.ts';
import type { AccountsResources } from '../resources.ts';
import { toRole } from '../roles/role.ts';
import { findRootRoles } from '../roles/roles.repo.ts';
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

/** One letter is in almost every name. */
const minSearched = 2;

/** Every person, and the roles to choose from, as of one moment. */
export async function* listUsers({ db }: AccountsResources): AsyncGenerator<{ users: User[]; rootRoles: Role[] }> {
  const { people, rootRoles } = await db.transaction(
    async (trx) => ({ people: await users.findUsers(trx, 'user'), rootRoles: await findRootRoles(trx) }),
    { isolation: 'repeatable read', readOnly: true },
  );
  yield { users: [], rootRoles: rootRoles.map(toRole) };
  for (const piece of inPieces(people.map(toUser))) yield { users: piece, rootRoles: [] };
}

/** The first people by that name; nobody for a text that is too short to tell. */
export async function searchUsers(
  { db }: AccountsResources,
  { query }: { query: string },
): Promise<z.input<typeof searchUsersContract.output>> {
  if (query.length < minSearched) return { users: [] };
  return { users: (await users.searchUsers(db.kysely, query, maxFound)).map(toUserName) };
}

/** Everybody and every group by name, to choose from. */
export async function* listAssignable({
  db,
}: AccountsResources): AsyncGenerator<z.input<typeof listAssignableContract.output>> {
  const everybody = [
    ...(await users.findUsers(db.kysely, 'user')),
    ...(await users.findUsers(db.kysely, 'service-account')),
  ].map((user) => ({ ...toUserName(user), rootRole: user.rootRole }));
  for (const piece of inPieces(everybody)) yield { users: piece, groups: [] };
  for (const groups of inPieces(await users.findGroupNames(db.kysely))) yield { users: [], groups };
}

/** One person. */
export async function getUser({ db }: AccountsResources, { userId }: { userId: number }): Promise<User> {
  const user = await users.findUser(db.kysely, userId, 'user');
  if (!user) throw userNotFound(userId);
  return toUser(user);
}

/** How many admins there are of each kind. */
export function countAdmins({ db }: AccountsResources) {
  return users.countAdmins(db.kysely);
}

/** Who asks. */
export async function getMe({ db }: AccountsResources, _: object, context: RequestContext): Promise<SignedInUser> {
  return toSignedInUser(await findAsker(db, eventOrigin(context).actor));
}

/** What who asks may see of their own standing: the same in every piece, but for projects and groups. */
export async function* getProfile(
  { db }: AccountsResources,
  _: object,
  context: RequestContext,
): AsyncGenerator<z.input<typeof getProfileContract.output>> {
  const { actor } = eventOrigin(context);
  const asker = await findAsker(db, actor);
  const rootRole = await rootRoleOfUser(db, asker);
  const canChangePassword = await users.hasPassword(db.kysely, asker.id);
  const groups = await users.findGroupNames(db.kysely, asker.id);
  const projects = projectsOf(actor.grants);
  const standing = { rootRole, canChangePassword, projects: projects && [], groups: [] };
  yield standing;
  for (const piece of inPieces(projects ?? [])) yield { ...standing, projects: piece };
  for (const piece of inPieces(groups)) {
    yield { ...standing, groups: piece.map(({ id, name, description }) => ({ id, name, description })) };
  }
}

/** The root role of who asks, and with a project their roles there. */
export async function* listOwnRoles(
  { db }: AccountsResources,
  { projectId }: { projectId?: string | undefined },
  context: RequestContext,
): AsyncGenerator<{ roles: Role[] }> {
  const asker = await findAsker(db, eventOrigin(context).actor);
  const inProject = projectId === undefined ? [] : await users.findProjectRoles(db.kysely, asker.id, projectId);
  for (const roles of inPieces([await rootRoleOfUser(db, asker), ...inProject.map(toRole)])) yield { roles };
}

async function findAsker(db: Database<AccountsTables>, actor: Actor): Promise<StoredUser> {
  if (actor.kind === 'admin-token') return holderOfAdminToken(actor);
  const user = await users.findUser(db.kysely, actor.id);
  if (!user) throw userNotFound(actor.id);
  return user;
}

async function rootRoleOfUser(db: Database<AccountsTables>, { rootRole }: StoredUser): Promise<Role> {
  const role = (await findRootRoles(db.kysely)).find(({ id }) => id === rootRole);
  if (!role) throw new Error(`the root role ${rootRole} is none`);
  return toRole(role);
}
