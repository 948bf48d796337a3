import type { Grant, Permission } from '@yardarm/shared/contracts';

/** A permission of the caller: everywhere unless it names a project or an environment. */
export interface OwnPermission {
  permission: Permission;
  project?: string;
  environment?: string;
}

/** Lists each permission of the grants; only `ADMIN` for an admin, since it includes all others. */
export function ownPermissions(grants: readonly Grant[]): OwnPermission[] {
  if (grants.some(({ permissions }) => permissions.includes('ADMIN'))) return [{ permission: 'ADMIN' }];
  return grants.flatMap(({ permissions, projects, environment }) =>
    (projects ?? [undefined]).flatMap((project) =>
      permissions.map((permission) => ({
        permission,
        ...(project !== undefined && { project }),
        ...(environment !== undefined && { environment }),
      })),
    ),
  );
}
