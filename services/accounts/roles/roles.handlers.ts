import { can } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import { type Actor, permissionNames, permissions } from '@yardarm/shared/contracts';
import {
  type AccessRow,
  listedPermission,
  type PermissionOverview,
  type Role,
  type RoleDefinition,
  type RoleWithPermissions,
} from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { AccountsResources } from '../resources.ts';
import { toUserName } from '../users/user.ts';
import { findGroupNames, findProjectRoles } from '../users/users.repo.ts';
import { findAccess } from './access-overview.repo.ts';
import { findHolder } from './holders.repo.ts';
import { requireEnvironments } from './require-environments.ts';
import { decidePermissions, grantsOf, roleNameTaken, roleNotFound, toRole, toRoleWithPermissions } from './role.ts';
import { findRole, findRoleByName, findRolePermissions, findRoles } from './roles.repo.ts';

export async function listRoles({ db }: AccountsResources): Promise<{ roles: Role[] }> {
  return { roles: (await findRoles(db.kysely)).map(toRole) };
}

/** A role and its permissions, from one snapshot. */
export async function getRole({ db }: AccountsResources, { roleId }: { roleId: number }): Promise<RoleWithPermissions> {
  return db.transaction(
    async (trx) => {
      const role = await findRole(trx, roleId);
      if (!role) throw roleNotFound(roleId);
      return toRoleWithPermissions(role, await findRolePermissions(trx, role.id));
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

/** Throws the errors that creating the role would throw, or changing it when an id is given. */
export async function validateRole(
  { db, bus }: AccountsResources,
  { id, name, type = 'custom', permissions: requested }: RoleDefinition & { id?: number | undefined },
  context: RequestContext,
): Promise<void> {
  decidePermissions(type, requested);
  await requireEnvironments(bus, requested, context);
  const other = await findRoleByName(db.kysely, name);
  if (other && other.id !== id) throw roleNameTaken(name);
}

/** The permissions of a user in a project and environment, decided by the same function as for requests. */
export async function getPermissionOverview(
  { db }: AccountsResources,
  { userId, kind, ...place }: { userId: number; kind: 'user' | 'service-account' } & PlaceOfOverview,
): Promise<PermissionOverview> {
  const { project } = place;
  const { holder, rootRole, projectRoles, groups } = await db.transaction(
    async (trx) => {
      const holder = await findHolder(trx, userId, kind);
      if (!holder) throw holderNotFound(kind, userId);
      const inProject = project === undefined ? [] : await findProjectRoles(trx, userId, project);
      const projectRoles = [];
      for (const role of inProject)
        projectRoles.push({
          ...toRoleWithPermissions(role, await findRolePermissions(trx, role.id)),
          project: project!,
        });
      const groups = await findGroupNames(trx, userId);
      return { holder, rootRole: await findRole(trx, holder.root_role), projectRoles, groups };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
  if (!rootRole) throw roleNotFound(holder.root_role);
  const { id, username, root_role, roles } = holder;
  const actor: Actor = { kind, id, username: username ?? String(id), grants: grantsOf(roles) };
  const ofScope = (scope: 'root' | 'project' | 'environment') =>
    permissionNames
      .filter((permission) => permissions[permission].scope === scope)
      .map((permission) => ({
        ...listedPermission(permission, scope === 'environment' ? (place.environment ?? null) : null),
        hasPermission: can(actor, permission, place),
      }));
  return {
    user: { ...toUserName({ ...holder, kind }), rootRole: root_role },
    overview: {
      ...{ root: ofScope('root'), project: ofScope('project'), environment: ofScope('environment') },
      groups: groups.map(({ id, name, rootRole }) => ({ id, name, rootRole })),
    },
    rootRole: toRole(rootRole),
    projectRoles,
  };
}

function holderNotFound(kind: 'user' | 'service-account', userId: number): AppError {
  const noun = kind === 'user' ? 'user' : 'service account';
  return new AppError('not-found', `Could not find the ${noun} with ID "${userId}".`);
}

interface PlaceOfOverview {
  project?: string | undefined;
  environment?: string | undefined;
}

/** All users and service accounts with root role, groups and roles in projects. */
export async function getAccessOverview({ db }: AccountsResources): Promise<{ overview: AccessRow[] }> {
  return { overview: await findAccess(db.kysely) };
}
