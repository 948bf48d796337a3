import type { Bus } from '@yardarm/shared/bus';
import {
  createGroup,
  deleteGroup,
  type Group,
  getGroup,
  groupDefinitionSchema,
  groupSchema,
  listGroups,
  updateGroup,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, idOf } from '../http/wire.ts';

const path = '/api/admin/groups';
const ofGroup = z.object({ groupId: z.string() });
const tag = 'Groups';
const noun = 'group';

/** Groups and their members. */
export function groupRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getGroups',
      ...ofContract(listGroups),
      tag,
      door: 'admin',
      answer: { status: 200, schema: listGroups.output },
      async handle({ context }) {
        const parts = await allOf(bus.requestMany(listGroups, {}, context), (piece) => piece.groups);
        return { status: 200, body: { groups: whole(parts) } };
      },
    }),
    route({
      method: 'post',
      path,
      operationId: 'createGroup',
      ...ofContract(createGroup),
      tag,
      door: 'admin',
      body: groupDefinitionSchema,
      answer: { status: 201, schema: groupSchema, headers: { location: 'The path of the new group' } },
      async handle({ body, context }) {
        const group = await bus.request(createGroup, body, context);
        return { status: 201, body: group, headers: { location: `${path}/${group.id}` } };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:groupId`,
      operationId: 'getGroup',
      ...ofContract(getGroup),
      tag,
      door: 'admin',
      params: ofGroup,
      answer: { status: 200, schema: groupSchema },
      async handle({ params, context }) {
        const parts = bus.requestMany(getGroup, { groupId: idOf(params.groupId, noun) }, context);
        const [group] = whole(await allOf(parts, (part) => [part]));
        return { status: 200, body: group };
      },
    }),
    route({
      method: 'put',
      path: `${path}/:groupId`,
      operationId: 'updateGroup',
      ...ofContract(updateGroup),
      tag,
      door: 'admin',
      params: ofGroup,
      body: updateGroup.input
        .omit({ groupId: true })
        .meta({ examples: [{ name: 'Release crew', users: [{ user: { id: 12 } }, { user: { id: 41 } }] }] }),
      answer: { status: 200, schema: groupSchema },
      handle: async ({ params, body, context }) => ({
        status: 200,
        body: await bus.request(updateGroup, { ...body, groupId: idOf(params.groupId, noun) }, context),
      }),
    }),
    route({
      method: 'delete',
      path: `${path}/:groupId`,
      operationId: 'deleteGroup',
      ...ofContract(deleteGroup),
      tag,
      door: 'admin',
      params: ofGroup,
      answer: { status: 200 },
      async handle({ params, context }) {
        await bus.request(deleteGroup, { groupId: idOf(params.groupId, noun) }, context);
        return { status: 200 };
      },
    }),
  ];
}

/** Puts the parts of groups back together: those of one group follow each other, each with some of its members. */
function whole(parts: readonly Group[]): Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last?.id === part.id) last.users.push(...part.users);
    else groups.push(part);
  }
  return groups;
}
