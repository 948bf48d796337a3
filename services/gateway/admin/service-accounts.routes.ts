import type { Bus } from '@yardarm/shared/bus';
import {
  createServiceAccount,
  createServiceAccountToken,
  deleteServiceAccount,
  deleteServiceAccountToken,
  getPermissionOverview,
  listServiceAccounts,
  listServiceAccountTokens,
  serviceAccountSchema,
  updateServiceAccount,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { idOf } from '../routing/wire.ts';

const path = '/api/admin/service-account';
const ofAccount = z.object({ id: z.string() });
const tag = 'Service Accounts';
const noun = 'service account';

export function serviceAccountRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag,
    params: { id: { field: 'serviceAccountId', noun }, tokenId: { noun: 'token' } },
  });
  return [
    admin.get(path, 'getServiceAccounts', listServiceAccounts, { answerName: 'serviceAccountsSchema' }),
    admin.post(path, 'createServiceAccount', createServiceAccount, {
      creates: 'service account',
      answer: serviceAccountSchema,
    }),
    route({
      method: 'put',
      path: `${path}/:id`,
      operationId: 'updateServiceAccount',
      ...ofContract(updateServiceAccount),
      tag,
      audience: 'admin',
      params: ofAccount,
      body: updateServiceAccount.input
        .omit({ serviceAccountId: true })
        .meta({ examples: [{ name: 'Deployer of releases', rootRole: 3 }] }),
      answer: { status: 200, schema: serviceAccountSchema },
      async handle({ params, body, context }) {
        const serviceAccountId = idOf(params.id, noun);
        const account = await bus.request(updateServiceAccount, { ...body, serviceAccountId }, context);
        const { pats: tokens } = await bus.request(listServiceAccountTokens, { serviceAccountId }, context);
        return { status: 200, body: { ...account, tokens } };
      },
    }),
    admin.delete(`${path}/:id`, 'deleteServiceAccount', deleteServiceAccount),
    admin.get(`${path}/:id/permissions`, 'getServiceAccountPermissions', getPermissionOverview, {
      params: { id: { field: 'userId', noun } },
      fixed: { kind: 'service-account' },
    }),
    admin.get(`${path}/:id/token`, 'getServiceAccountTokens', listServiceAccountTokens, { answerName: 'patsSchema' }),
    admin.post(`${path}/:id/token`, 'createServiceAccountToken', createServiceAccountToken, {
      bodyName: 'createPatSchema',
      creates: 'token',
    }),
    admin.delete(`${path}/:id/token/:tokenId`, 'deleteServiceAccountToken', deleteServiceAccountToken),
  ];
}
