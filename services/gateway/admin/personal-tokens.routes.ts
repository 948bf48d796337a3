import type { Bus } from '@yardarm/shared/bus';
import {
  createPersonalToken,
  deletePersonalToken,
  listPersonalTokens,
  personalTokenDefinitionSchema,
  personalTokenSchema,
} from '@yardarm/shared/contracts/accounts';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';

const path = '/api/admin/user/tokens';
const tag = 'Personal access tokens';

export function personalTokenRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag,
    params: { id: { field: 'tokenId', noun: 'personal access token' } },
  });
  return [
    admin.get(path, 'getPats', listPersonalTokens, { answerName: 'patsSchema' }),
    route({
      method: 'post',
      path,
      operationId: 'createPat',
      ...ofContract(createPersonalToken),
      tag,
      audience: 'admin',
      body: personalTokenDefinitionSchema,
      answer: { status: 201, schema: personalTokenSchema, headers: { location: 'The path of the new token' } },
      async handle({ body, context, token }) {
        const made = await bus.request(createPersonalToken, { ...body, callerTokenId: token?.id ?? null }, context);
        return { status: 201, body: made, headers: { location: `${path}/${made.id}` } };
      },
    }),
    admin.delete(`${path}/:id`, 'deletePat', deletePersonalToken),
  ];
}
