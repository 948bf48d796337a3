import type { Bus } from '@yardarm/shared/bus';
import {
  createServiceAccount,
  createServiceAccountToken,
  deleteServiceAccountToken,
  listServiceAccounts,
  listServiceAccountTokens,
  serviceAccountSchema,
  serviceAccountTokenSchema,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { type Route, route } from '../http/route.ts';
import { idOf } from '../http/wire.ts';

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
      summary: listServiceAccounts.summary,
      tag,
      door: 'admin',
      permission: 'ADMIN',
      answer: { status: 200, schema: listServiceAccounts.output },
      errors: listServiceAccounts.errors,
      handle: async ({ context }) => ({ status: 200, body: await bus.request(listServiceAccounts, {}, context) }),
    }),
    route({
      method: 'post',
      path,
      operationId: 'createServiceAccount',
      summary: createServiceAccount.summary,
      tag,
      door: 'admin',
      permission: 'ADMIN',
      body: createServiceAccount.input,
      answer: {
        status: 201,
        schema: serviceAccountSchema,
        headers: { location: 'The path of the new service account' },
      },
      errors: createServiceAccount.errors,
      async handle({ body, context }) {
        const account = await bus.request(createServiceAccount, body, context);
        return { status: 201, body: account, headers: { location: `${path}/${account.id}` } };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:id/token`,
      operationId: 'getServiceAccountTokens',
      summary: listServiceAccountTokens.summary,
      tag,
      door: 'admin',
      permission: 'ADMIN',
      params: ofAccount,
      answer: { status: 200, schema: listServiceAccountTokens.output },
      errors: listServiceAccountTokens.errors,
      handle: async ({ params, context }) => ({
        status: 200,
        body: await bus.request(listServiceAccountTokens, { serviceAccountId: idOf(params.id, noun) }, context),
      }),
    }),
    route({
      method: 'post',
      path: `${path}/:id/token`,
      operationId: 'createServiceAccountToken',
      summary: createServiceAccountToken.summary,
      tag,
      door: 'admin',
      permission: 'ADMIN',
      params: ofAccount,
      body: createServiceAccountToken.input.omit({ serviceAccountId: true }),
      answer: { status: 201, schema: serviceAccountTokenSchema, headers: { location: 'The path of the new token' } },
      errors: createServiceAccountToken.errors,
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
      summary: deleteServiceAccountToken.summary,
      tag,
      door: 'admin',
      permission: 'ADMIN',
      params: ofAccount.extend({ tokenId: z.string() }),
      answer: { status: 200 },
      errors: deleteServiceAccountToken.errors,
      async handle({ params, context }) {
        const ids = { serviceAccountId: idOf(params.id, noun), tokenId: idOf(params.tokenId, 'token') };
        await bus.request(deleteServiceAccountToken, ids, context);
        return { status: 200 };
      },
    }),
  ];
}
