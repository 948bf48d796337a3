import type { Bus } from '@yardarm/shared/bus';
import {
  addProjectAccess,
  addProjectRole,
  getProjectAccess,
  projectAccessSchema,
  setGroupProjectRoles,
  setProjectAccess,
  setUserProjectRoles,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, idOf } from '../http/wire.ts';

const path = '/api/admin/projects/:projectId';
const ofProject = z.object({ projectId: z.string() });
const ofRole = ofProject.extend({ roleId: z.string() });
const ofUser = ofProject.extend({ userId: z.string() });
const ofGroup = ofProject.extend({ groupId: z.string() });
const tag = 'Projects';

const rolesBody = setUserProjectRoles.input.pick({ roles: true }).meta({ examples: [{ roles: [4] }] });

/** Who has which roles in a project. */
export function projectAccessRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path: `${path}/access`,
      operationId: 'getProjectAccess',
      ...ofContract(getProjectAccess),
      tag,
      door: 'admin',
      params: ofProject,
      answer: { status: 200, schema: projectAccessSchema },
      async handle({ params, context }) {
        const pieces = await allOf(bus.requestMany(getProjectAccess, params, context), (piece) => [piece]);
        const users = pieces.flatMap((piece) => piece.users);
        const groups = pieces.flatMap((piece) => piece.groups);
        return { status: 200, body: { users, groups, roles: pieces.flatMap((piece) => piece.roles) } };
      },
    }),
    route({
      method: 'post',
      path: `${path}/access`,
      operationId: 'addAccessToProject',
      ...ofContract(addProjectAccess),
      tag,
      door: 'admin',
      params: ofProject,
      body: addProjectAccess.input
        .omit({ projectId: true })
        .meta({ examples: [{ roles: [5], users: [12], groups: [3] }] }),
      answer: { status: 200 },
      async handle({ params, body, context }) {
        await bus.request(addProjectAccess, { ...body, ...params }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'put',
      path: `${path}/access`,
      operationId: 'setProjectAccess',
      ...ofContract(setProjectAccess),
      tag,
      door: 'admin',
      params: ofProject,
      body: setProjectAccess.input
        .omit({ projectId: true })
        .meta({ examples: [{ roles: [{ id: 4, users: [12], groups: [3] }] }] }),
      answer: { status: 200 },
      async handle({ params, body, context }) {
        await bus.request(setProjectAccess, { ...body, ...params }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'post',
      path: `${path}/role/:roleId/access`,
      operationId: 'addRoleAccessToProject',
      ...ofContract(addProjectRole),
      tag,
      door: 'admin',
      params: ofRole,
      body: addProjectRole.input
        .omit({ projectId: true, roleId: true })
        .meta({ examples: [{ users: [{ id: 12 }], groups: [{ id: 3 }] }] }),
      answer: { status: 200 },
      async handle({ params: { projectId, roleId }, body, context }) {
        await bus.request(addProjectRole, { ...body, projectId, roleId: idOf(roleId, 'role') }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'put',
      path: `${path}/users/:userId/roles`,
      operationId: 'setRolesForUser',
      ...ofContract(setUserProjectRoles),
      tag,
      door: 'admin',
      params: ofUser,
      body: rolesBody,
      answer: { status: 200 },
      async handle({ params: { projectId, userId }, body, context }) {
        await bus.request(setUserProjectRoles, { ...body, projectId, userId: idOf(userId, 'user') }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'delete',
      path: `${path}/users/:userId/roles`,
      operationId: 'removeUserAccess',
      ...ofContract(setUserProjectRoles),
      summary: 'Takes every role in a project from a user',
      tag,
      door: 'admin',
      params: ofUser,
      answer: { status: 200 },
      async handle({ params: { projectId, userId }, context }) {
        await bus.request(setUserProjectRoles, { projectId, userId: idOf(userId, 'user'), roles: [] }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'put',
      path: `${path}/groups/:groupId/roles`,
      operationId: 'setRolesForGroup',
      ...ofContract(setGroupProjectRoles),
      tag,
      door: 'admin',
      params: ofGroup,
      body: rolesBody,
      answer: { status: 200 },
      async handle({ params: { projectId, groupId }, body, context }) {
        await bus.request(setGroupProjectRoles, { ...body, projectId, groupId: idOf(groupId, 'group') }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'delete',
      path: `${path}/groups/:groupId/roles`,
      operationId: 'removeGroupAccess',
      ...ofContract(setGroupProjectRoles),
      summary: 'Takes every role in a project from a group',
      tag,
      door: 'admin',
      params: ofGroup,
      answer: { status: 200 },
      async handle({ params: { projectId, groupId }, context }) {
        await bus.request(setGroupProjectRoles, { projectId, groupId: idOf(groupId, 'group'), roles: [] }, context);
        return { status: 200 };
      },
    }),
  ];
}
