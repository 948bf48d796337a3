import type { Bus } from '@yardarm/shared/bus';
import {
  countAdmins,
  createUser,
  deleteUser,
  getPermissionOverview,
  getUser,
  listAssignable,
  listUsers,
  searchUsers,
  updateUser,
  userSchema,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, idOf } from '../http/wire.ts';

const path = '/api/admin/user-admin';
const ofUser = z.object({ id: z.string() });
const tag = 'Users';
const noun = 'user';

/** People, as those see them who may change them. `publicUrl` begins the links by which the invited choose a password. */
export function userRoutes(bus: Bus, publicUrl: string): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getUsers',
      ...ofContract(listUsers),
      tag,
      door: 'admin',
      answer: { status: 200, schema: listUsers.output },
      async handle({ context }) {
        const pieces = await allOf(bus.requestMany(listUsers, {}, context), (piece) => [piece]);
        const users = pieces.flatMap((piece) => piece.users);
        return { status: 200, body: { users, rootRoles: pieces.flatMap((piece) => piece.rootRoles) } };
      },
    }),
    route({
      method: 'post',
      path,
      operationId: 'createUser',
      ...ofContract(createUser),
      tag,
      door: 'admin',
      body: createUser.input,
      answer: { status: 201, schema: userSchema, headers: { location: 'The path of the new user' } },
      async handle({ body, context }) {
        const { user, inviteToken } = await bus.request(createUser, body, context);
        const inviteLink = inviteToken === null ? '' : `${publicUrl}/new-user?token=${encodeURIComponent(inviteToken)}`;
        return {
          status: 201,
          body: { ...user, inviteLink },
          headers: { location: `${path}/${user.id}`, 'cache-control': 'no-store' },
        };
      },
    }),
    route({
      method: 'get',
      path: `${path}/search`,
      operationId: 'searchUsers',
      ...ofContract(searchUsers),
      tag,
      door: 'admin',
      query: z.object({ q: searchUsers.input.shape.query.default('') }),
      answer: { status: 200, schema: searchUsers.output.shape.users },
      async handle({ query, context }) {
        return { status: 200, body: (await bus.request(searchUsers, { query: query.q }, context)).users };
      },
    }),
    route({
      method: 'get',
      path: `${path}/access`,
      operationId: 'getBaseUsersAndGroups',
      ...ofContract(listAssignable),
      tag,
      door: 'admin',
      answer: { status: 200, schema: listAssignable.output },
      async handle({ context }) {
        const pieces = await allOf(bus.requestMany(listAssignable, {}, context), (piece) => [piece]);
        const users = pieces.flatMap((piece) => piece.users);
        return { status: 200, body: { users, groups: pieces.flatMap((piece) => piece.groups) } };
      },
    }),
    route({
      method: 'get',
      path: `${path}/admin-count`,
      operationId: 'getAdminCount',
      ...ofContract(countAdmins),
      tag,
      door: 'admin',
      answer: { status: 200, schema: countAdmins.output },
      async handle({ context }) {
        return { status: 200, body: await bus.request(countAdmins, {}, context) };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:id`,
      operationId: 'getUser',
      ...ofContract(getUser),
      tag,
      door: 'admin',
      params: ofUser,
      answer: { status: 200, schema: userSchema },
      async handle({ params, context }) {
        return { status: 200, body: await bus.request(getUser, { userId: idOf(params.id, noun) }, context) };
      },
    }),
    route({
      method: 'put',
      path: `${path}/:id`,
      operationId: 'updateUser',
      ...ofContract(updateUser),
      tag,
      door: 'admin',
      params: ofUser,
      body: updateUser.input
        .omit({ userId: true })
        .meta({ examples: [{ name: 'Ann Cormac', email: 'ann@example.com', rootRole: 3 }] }),
      answer: { status: 200, schema: userSchema },
      async handle({ params, body, context }) {
        const userId = idOf(params.id, noun);
        return { status: 200, body: await bus.request(updateUser, { ...body, userId }, context) };
      },
    }),
    route({
      method: 'delete',
      path: `${path}/:id`,
      operationId: 'deleteUser',
      ...ofContract(deleteUser),
      tag,
      door: 'admin',
      params: ofUser,
      answer: { status: 200 },
      async handle({ params, context }) {
        await bus.request(deleteUser, { userId: idOf(params.id, noun) }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:id/permissions`,
      operationId: 'getUserPermissions',
      ...ofContract(getPermissionOverview),
      tag,
      door: 'admin',
      params: ofUser,
      query: getPermissionOverview.input.pick({ project: true, environment: true }),
      answer: { status: 200, schema: getPermissionOverview.output },
      async handle({ params, query, context }) {
        const asked = { ...query, userId: idOf(params.id, noun), kind: 'user' as const };
        return { status: 200, body: await bus.request(getPermissionOverview, asked, context) };
      },
    }),
  ];
}
