import type { Bus } from '@yardarm/shared/bus';
import {
  countAdmins,
  createUser,
  deleteUser,
  deleteUserToken,
  getPermissionOverview,
  getUser,
  listAssignable,
  listUsers,
  listUserTokens,
  searchUsers,
  type User,
  updateUser,
  userExample,
  userSchema,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { idOf } from '../routing/wire.ts';

const path = '/api/admin/user-admin';
const tag = 'Users';

/** The answer of a write has a root role that was sent by its name as it was sent, as in the public product. */
const changedUserSchema = userSchema
  .extend({ rootRole: z.union([z.number().int(), z.string()]) })
  .meta({ id: 'createUserResponseSchema', examples: [userExample] });

function asSent(reference: number | string | undefined, { rootRole }: User): number | string {
  return typeof reference === 'string' && !/^\d+$/.test(reference) ? reference : rootRole;
}

/** `publicUrl` begins the links by which invited users choose a password. */
export function userRoutes(bus: Bus, publicUrl: string): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag,
    params: { id: { field: 'userId', noun: 'user' }, tokenId: { noun: 'personal access token' } },
  });
  return [
    admin.get(path, 'getUsers', listUsers, { answerName: 'usersSchema' }),
    route({
      method: 'post',
      path,
      operationId: 'createUser',
      ...ofContract(createUser),
      tag,
      audience: 'admin',
      body: createUser.input,
      answer: { status: 201, schema: changedUserSchema, headers: { location: 'The path of the new user' } },
      async handle({ body, context }) {
        const { user, inviteToken } = await bus.request(createUser, body, context);
        const inviteLink = inviteToken === null ? '' : `${publicUrl}/new-user?token=${encodeURIComponent(inviteToken)}`;
        return {
          status: 201,
          body: { ...user, inviteLink, rootRole: asSent(body.rootRole, user) },
          headers: { location: `${path}/${user.id}` },
        };
      },
    }),
    route({
      method: 'get',
      path: `${path}/search`,
      operationId: 'searchUsers',
      answerName: 'usersSearchSchema',
      ...ofContract(searchUsers),
      tag,
      audience: 'admin',
      query: z.object({ q: searchUsers.input.shape.query.default('') }),
      answer: { status: 200, schema: searchUsers.output.shape.users },
      async handle({ query, context }) {
        return { status: 200, body: (await bus.request(searchUsers, { query: query.q }, context)).users };
      },
    }),
    admin.get(`${path}/access`, 'getBaseUsersAndGroups', listAssignable, { answerName: 'usersGroupsBaseSchema' }),
    admin.get(`${path}/admin-count`, 'getAdminCount', countAdmins, { answerName: 'adminCountSchema' }),
    admin.get(`${path}/:id`, 'getUser', getUser),
    route({
      method: 'put',
      path: `${path}/:id`,
      operationId: 'updateUser',
      ...ofContract(updateUser),
      tag,
      audience: 'admin',
      params: z.object({ id: z.string() }),
      body: updateUser.input.omit({ userId: true }),
      answer: { status: 200, schema: changedUserSchema },
      async handle({ params: { id }, body, context }) {
        const user = await bus.request(updateUser, { ...body, userId: idOf(id, 'user') }, context);
        return { status: 200, body: { ...user, rootRole: asSent(body.rootRole, user) } };
      },
    }),
    admin.delete(`${path}/:id`, 'deleteUser', deleteUser),
    admin.get(`${path}/:id/tokens`, 'getUserPats', listUserTokens),
    admin.delete(`${path}/:id/tokens/:tokenId`, 'deleteUserPat', deleteUserToken),
    admin.get(`${path}/:id/permissions`, 'getUserPermissions', getPermissionOverview, { fixed: { kind: 'user' } }),
  ];
}
