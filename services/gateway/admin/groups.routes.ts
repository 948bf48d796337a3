import type { Bus } from '@yardarm/shared/bus';
import {
  createGroup,
  deleteGroup,
  type Group,
  getGroup,
  groupSchema,
  listGroups,
  updateGroup,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { groupBody } from '../routing/body-bounds.ts';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { idOf } from '../routing/wire.ts';

const path = '/api/admin/groups';
const tag = 'Groups';
const noun = 'group';

export function groupRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag, params: { groupId: { noun } } });
  return [
    route({
      method: 'get',
      path,
      operationId: 'getGroups',
      answerName: 'groupsSchema',
      ...ofContract(listGroups),
      tag,
      audience: 'admin',
      answer: { status: 200, schema: listGroups.output },
      async handle({ context }) {
        const { groups } = await bus.request(listGroups, {}, context);
        return { status: 200, body: { groups: joinParts(groups) } };
      },
    }),
    admin.post(path, 'createGroup', createGroup, { ...groupBody, creates: 'group', answer: groupSchema }),
    route({
      method: 'get',
      path: `${path}/:groupId`,
      operationId: 'getGroup',
      ...ofContract(getGroup),
      tag,
      audience: 'admin',
      params: z.object({ groupId: z.string() }),
      answer: { status: 200, schema: groupSchema },
      async handle({ params, context }) {
        const group = await bus.request(getGroup, { groupId: idOf(params.groupId, noun) }, context);
        return { status: 200, body: group };
      },
    }),
    admin.put(`${path}/:groupId`, 'updateGroup', updateGroup, { ...groupBody, answer: groupSchema }),
    admin.delete(`${path}/:groupId`, 'deleteGroup', deleteGroup),
  ];
}

/**
 * FOR ONE RELEASE, as bus/earlier-answers.ts: accounts of 18d16db sends a group of many members in parts, which follow
 * each other. Without it the list is a route like the others.
 */
function joinParts(parts: readonly Group[]): Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last?.id === part.id) last.users.push(...part.users);
    else groups.push(part);
  }
  return groups;
}
