import type { Bus } from '@yardarm/shared/bus';
import {
  type ApiToken,
  createApiToken,
  createProjectApiToken,
  deleteApiToken,
  deleteProjectApiToken,
  listApiTokens,
  listProjectApiTokens,
  type MadeApiToken,
  madeApiTokenSchema,
  updateApiToken,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { ofContract, type Reply, type Route, route } from '../http/route.ts';
import { allOf } from '../http/wire.ts';

const path = '/api/admin/api-tokens';
const projectPath = '/api/admin/projects/:projectId/api-tokens';
const ofToken = z.object({ token: z.string() });
const ofProject = z.object({ projectId: z.string() });
const tag = 'API tokens';

/** Tokens of SDKs and of scripts, for administrators and for owners of a project. */
export function apiTokenRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getAllApiTokens',
      ...ofContract(listApiTokens),
      tag,
      door: 'admin',
      answer: { status: 200, schema: listApiTokens.output },
      handle: async ({ context }) => listed(bus.requestMany(listApiTokens, {}, context)),
    }),
    route({
      method: 'post',
      path,
      operationId: 'createApiToken',
      ...ofContract(createApiToken),
      tag,
      door: 'admin',
      body: createApiToken.input,
      answer: { status: 201, schema: madeApiTokenSchema, headers: { location: 'Where tokens of this name are' } },
      handle: async ({ body, context }) => made(await bus.request(createApiToken, body, context)),
    }),
    route({
      method: 'get',
      // By name: the parameter is called what it is called in PUT and DELETE, since documents know one path, not two.
      path: `${path}/:token`,
      operationId: 'getApiTokensByName',
      ...ofContract(listApiTokens),
      tag,
      door: 'admin',
      params: ofToken,
      answer: { status: 200, schema: listApiTokens.output },
      handle: async ({ params, context }) =>
        listed(bus.requestMany(listApiTokens, { tokenName: params.token }, context)),
    }),
    route({
      method: 'put',
      path: `${path}/:token`,
      operationId: 'updateApiToken',
      ...ofContract(updateApiToken),
      tag,
      door: 'admin',
      params: ofToken,
      body: updateApiToken.input.omit({ token: true }).meta({ examples: [{ expiresAt: '2027-01-31T12:00:00Z' }] }),
      answer: { status: 200 },
      async handle({ params, body, context }) {
        await bus.request(updateApiToken, { ...params, ...body }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'delete',
      path: `${path}/:token`,
      operationId: 'deleteApiToken',
      ...ofContract(deleteApiToken),
      tag,
      door: 'admin',
      params: ofToken,
      answer: { status: 200 },
      async handle({ params, context }) {
        await bus.request(deleteApiToken, params, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'get',
      path: projectPath,
      operationId: 'getProjectApiTokens',
      ...ofContract(listProjectApiTokens),
      tag,
      door: 'admin',
      params: ofProject,
      answer: { status: 200, schema: listProjectApiTokens.output },
      handle: async ({ params, context }) => listed(bus.requestMany(listProjectApiTokens, params, context)),
    }),
    route({
      method: 'post',
      path: projectPath,
      operationId: 'createProjectApiToken',
      ...ofContract(createProjectApiToken),
      tag,
      door: 'admin',
      params: ofProject,
      body: createProjectApiToken.input
        .omit({ projectId: true })
        .meta({ examples: [{ type: 'client', tokenName: 'checkout service', environment: 'development' }] }),
      answer: { status: 201, schema: madeApiTokenSchema, headers: { location: 'Where tokens of this name are' } },
      handle: async ({ params, body, context }) =>
        made(await bus.request(createProjectApiToken, { ...body, ...params }, context)),
    }),
    route({
      method: 'delete',
      path: `${projectPath}/:token`,
      operationId: 'deleteProjectApiToken',
      ...ofContract(deleteProjectApiToken),
      tag,
      door: 'admin',
      params: ofProject.extend(ofToken.shape),
      answer: { status: 200 },
      async handle({ params, context }) {
        await bus.request(deleteProjectApiToken, params, context);
        return { status: 200 };
      },
    }),
  ];
}

async function listed(pieces: AsyncIterable<{ tokens: ApiToken[] }>): Promise<Reply> {
  return { status: 200, body: { tokens: await allOf(pieces, (piece) => piece.tokens) } };
}

/** The one answer with the secret: for nobody's cache. */
function made(token: MadeApiToken): Reply {
  const headers = { location: `${path}/${encodeURIComponent(token.tokenName)}`, 'cache-control': 'no-store' };
  return { status: 201, body: token, headers };
}
