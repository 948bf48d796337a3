import type { Bus } from '@yardarm/shared/bus';
import {
  createPersonalToken,
  deletePersonalToken,
  listPersonalTokens,
  personalTokenSchema,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, idOf } from '../http/wire.ts';

const path = '/api/admin/user/tokens';
const tag = 'Personal access tokens';

/** The personal access tokens of the person who asks. */
export function personalTokenRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getPats',
      ...ofContract(listPersonalTokens),
      tag,
      door: 'admin',
      answer: { status: 200, schema: listPersonalTokens.output },
      async handle({ context }) {
        const pieces = bus.requestMany(listPersonalTokens, {}, context);
        return { status: 200, body: { pats: await allOf(pieces, (piece) => piece.pats) } };
      },
    }),
    route({
      method: 'post',
      path,
      operationId: 'createPat',
      ...ofContract(createPersonalToken),
      tag,
      door: 'admin',
      body: createPersonalToken.input,
      answer: { status: 201, schema: personalTokenSchema, headers: { location: 'The path of the new token' } },
      async handle({ body, context }) {
        const token = await bus.request(createPersonalToken, body, context);
        const headers = { location: `${path}/${token.id}`, 'cache-control': 'no-store' };
        return { status: 201, body: token, headers };
      },
    }),
    route({
      method: 'delete',
      path: `${path}/:id`,
      operationId: 'deletePat',
      ...ofContract(deletePersonalToken),
      tag,
      door: 'admin',
      params: z.object({ id: z.string() }),
      answer: { status: 200 },
      async handle({ params, context }) {
        await bus.request(deletePersonalToken, { tokenId: idOf(params.id, 'personal access token') }, context);
        return { status: 200 };
      },
    }),
  ];
}
