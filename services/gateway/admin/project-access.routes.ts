import type { Bus } from '@yardarm/shared/bus';
import {
  addProjectAccess,
  addProjectRole,
  getProjectAccess,
  setGroupProjectRoles,
  setProjectAccess,
  setUserProjectRoles,
} from '@yardarm/shared/contracts/accounts';
import { longLists } from '../routing/body-bounds.ts';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/projects/:projectId';

// Users and groups share one schema in the OpenAPI document.
const body = setUserProjectRoles.input.pick({ roles: true }).meta({ examples: [{ roles: [4] }] });

export function projectAccessRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag: 'Projects',
    params: { roleId: { noun: 'role' }, userId: { noun: 'user' }, groupId: { noun: 'group' } },
  });
  return [
    admin.get(`${path}/access`, 'getProjectAccess', getProjectAccess),
    admin.post(`${path}/access`, 'addAccessToProject', addProjectAccess, { bodyName: 'projectAddAccessSchema' }),
    admin.put(`${path}/access`, 'setProjectAccess', setProjectAccess, longLists),
    admin.post(`${path}/role/:roleId/access`, 'addRoleAccessToProject', addProjectRole),
    admin.put(`${path}/users/:userId/roles`, 'setRolesForUser', setUserProjectRoles, { body }),
    admin.delete(`${path}/users/:userId/roles`, 'removeUserAccess', setUserProjectRoles, {
      summary: 'Revokes every role of a user in a project',
      fixed: { roles: [] },
    }),
    admin.put(`${path}/groups/:groupId/roles`, 'setRolesForGroup', setGroupProjectRoles, { body }),
    admin.delete(`${path}/groups/:groupId/roles`, 'removeGroupAccess', setGroupProjectRoles, {
      summary: 'Revokes every role of a group in a project',
      fixed: { roles: [] },
    }),
  ];
}
