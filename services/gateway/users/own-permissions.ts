import type { Grant, Permission } from '@yardarm/shared/contracts';

/** One permission as the public API lists those of who asks: everywhere unless it names a project or an environment. */
export interface OwnPermission {
  permission: Permission;
  project?: string;
  environment?: string;
}

/** What the grants permit, one by one; `ADMIN` alone for whoever has it, since it includes all others. */
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
