import type { Bus } from '@yardarm/shared/bus';
import {
  createServiceAccount,
  createServiceAccountToken,
  deleteServiceAccount,
  deleteServiceAccountToken,
  getPermissionOverview,
  listServiceAccounts,
  listServiceAccountTokens,
  personalTokenSchema,
  serviceAccountSchema,
  updateServiceAccount,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, idOf } from '../http/wire.ts';

const path = '/api/admin/service-account';
const ofAccount = z.object({ id: z.string() });
const tag = 'Service Accounts';
const noun = 'service account';

/** Service accounts and their tokens. */
export function serviceAccountRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getServiceAccounts',
      ...ofContract(listServiceAccounts),
      tag,
      door: 'admin',
      answer: { status: 200, schema: listServiceAccounts.output },
      async handle({ context }) {
        const pieces = await allOf(bus.requestMany(listServiceAccounts, {}, context), (piece) => [piece]);
        const serviceAccounts = pieces.flatMap((piece) => piece.serviceAccounts);
        return { status: 200, body: { serviceAccounts, rootRoles: pieces.flatMap((piece) => piece.rootRoles) } };
      },
    }),
    route({
      method: 'post',
      path,
      operationId: 'createServiceAccount',
      ...ofContract(createServiceAccount),
      tag,
      door: 'admin',
      body: createServiceAccount.input,
      answer: {
        status: 201,
        schema: serviceAccountSchema,
        headers: { location: 'The path of the new service account' },
      },
      async handle({ body, context }) {
        const account = await bus.request(createServiceAccount, body, context);
        return { status: 201, body: account, headers: { location: `${path}/${account.id}` } };
      },
    }),
    route({
      method: 'put',
      path: `${path}/:id`,
      operationId: 'updateServiceAccount',
      ...ofContract(updateServiceAccount),
      tag,
      door: 'admin',
      params: ofAccount,
      body: updateServiceAccount.input
        .omit({ serviceAccountId: true })
        .meta({ examples: [{ name: 'Deployer of releases', rootRole: 3 }] }),
      answer: { status: 200, schema: serviceAccountSchema },
      async handle({ params, body, context }) {
        const serviceAccountId = idOf(params.id, noun);
        const account = await bus.request(updateServiceAccount, { ...body, serviceAccountId }, context);
        const pieces = bus.requestMany(listServiceAccountTokens, { serviceAccountId }, context);
        return { status: 200, body: { ...account, tokens: await allOf(pieces, (piece) => piece.pats) } };
      },
    }),
    route({
      method: 'delete',
      path: `${path}/:id`,
      operationId: 'deleteServiceAccount',
      ...ofContract(deleteServiceAccount),
      tag,
      door: 'admin',
      params: ofAccount,
      answer: { status: 200 },
      async handle({ params, context }) {
        await bus.request(deleteServiceAccount, { serviceAccountId: idOf(params.id, noun) }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:id/permissions`,
      operationId: 'getServiceAccountPermissions',
      ...ofContract(getPermissionOverview),
      tag,
      door: 'admin',
      params: ofAccount,
      query: getPermissionOverview.input.pick({ project: true, environment: true }),
      answer: { status: 200, schema: getPermissionOverview.output },
      async handle({ params, query, context }) {
        const asked = { ...query, userId: idOf(params.id, noun), kind: 'service-account' as const };
        return { status: 200, body: await bus.request(getPermissionOverview, asked, context) };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:id/token`,
      operationId: 'getServiceAccountTokens',
      ...ofContract(listServiceAccountTokens),
      tag,
      door: 'admin',
      params: ofAccount,
      answer: { status: 200, schema: listServiceAccountTokens.output },
      async handle({ params, context }) {
        const pieces = bus.requestMany(listServiceAccountTokens, { serviceAccountId: idOf(params.id, noun) }, context);
        return { status: 200, body: { pats: await allOf(pieces, (piece) => piece.pats) } };
      },
    }),
    route({
      method: 'post',
      path: `${path}/:id/token`,
      operationId: 'createServiceAccountToken',
      ...ofContract(createServiceAccountToken),
      tag,
      door: 'admin',
      params: ofAccount,
      body: createServiceAccountToken.input
        .omit({ serviceAccountId: true })
        .meta({ examples: [{ description: 'deploy pipeline', expiresAt: '2027-01-31T12:00:00Z' }] }),
      answer: { status: 201, schema: personalTokenSchema, headers: { location: 'The path of the new token' } },
      async handle({ params, body, context }) {
        const serviceAccountId = idOf(params.id, noun);
        const token = await bus.request(createServiceAccountToken, { ...body, serviceAccountId }, context);
        return {
          status: 201,
          body: token,
          headers: { location: `${path}/${serviceAccountId}/token/${token.id}`, 'cache-control': 'no-store' },
        };
      },
    }),
    route({
      method: 'delete',
      path: `${path}/:id/token/:tokenId`,
      operationId: 'deleteServiceAccountToken',
      ...ofContract(deleteServiceAccountToken),
      tag,
      door: 'admin',
      params: ofAccount.extend({ tokenId: z.string() }),
      answer: { status: 200 },
      async handle({ params, context }) {
        const ids = { serviceAccountId: idOf(params.id, noun), tokenId: idOf(params.tokenId, 'token') };
        await bus.request(deleteServiceAccountToken, ids, context);
        return { status: 200 };
      },
    }),
  ];
}
