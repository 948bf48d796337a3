import type { Bus } from '@yardarm/shared/bus';
import {
  checkPasswordReset,
  login,
  logout,
  resetPassword,
  signedInUserSchema,
  validatePassword,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import type { SessionCookie } from '../../auth/session-cookie.ts';
import { contractRoutes } from '../../routing/contract-routes.ts';
import { type Call, ofContract, type Reply, type Route, route } from '../../routing/route.ts';

const tag = 'Auth';
const exampleToken = 'reset_yd_0aBcDeFgHiJkLmNoPqRsTu_VwXyZ0aBcDeFgHiJkLmNoPqRsTuVwXyZ0aBcDeFgHiJkL123456';

const tokenUserSchema = checkPasswordReset.output
  .extend({ name: z.string().optional(), email: z.string(), token: z.string() })
  .meta({
    examples: [
      {
        id: 12,
        name: 'Ann Bonny',
        email: 'ann@example.com',
        username: 'ann',
        token: exampleToken,
        createdBy: 'admin',
        role: { id: 2, type: 'root', name: 'Editor', description: 'May do most things in every project.' },
      },
    ],
  });

export function signInRoutes(bus: Bus, sessionCookie: SessionCookie): Route[] {
  const anyone = contractRoutes(bus, { audience: 'public', tag });
  return [
    route({
      method: 'post',
      path: '/auth/simple/login',
      operationId: 'login',
      ...ofContract(login),
      tag,
      audience: 'public',
      body: login.input
        .omit({ address: true })
        .meta({ examples: [{ username: 'ann@example.com', password: 'correct Horse 8 battery' }] }),
      answer: {
        status: 200,
        schema: signedInUserSchema,
        headers: { 'set-cookie': 'The session, for the admin API and the web console' },
      },
      async handle({ body, context, address, isSecure }) {
        const { user, session } = await bus.request(login, { ...body, address }, context);
        const cookie = sessionCookie.make(session.token, session.expiresAt, isSecure);
        return { status: 200, body: user, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } };
      },
    }),
    ...(['get', 'post'] as const).map((method) =>
      route({
        method,
        path: '/logout',
        operationId: method === 'get' ? 'logout' : 'logoutByPost',
        ...ofContract(logout),
        tag,
        audience: 'admin',
        beforePasswordChange: true,
        answer: { status: 200, headers: { 'set-cookie': 'Makes the browser forget the session' } },
        handle: (call) => endSession(bus, sessionCookie, call, method === 'get'),
      }),
    ),
    route({
      method: 'get',
      path: '/auth/reset/validate',
      operationId: 'validateToken',
      answerName: 'tokenUserSchema',
      ...ofContract(checkPasswordReset),
      tag,
      audience: 'public',
      query: checkPasswordReset.input.omit({ address: true }),
      answer: { status: 200, schema: tokenUserSchema },
      async handle({ query: { token }, context, address }) {
        const { name, email, ...rest } = await bus.request(checkPasswordReset, { token, address }, context);
        const body = { ...rest, ...(name !== null && { name }), email: email ?? '', token };
        return { status: 200, body, headers: { 'cache-control': 'no-store' } };
      },
    }),
    route({
      method: 'post',
      path: '/auth/reset/password',
      operationId: 'changePassword',
      ...ofContract(resetPassword),
      tag,
      audience: 'public',
      body: resetPassword.input
        .omit({ address: true })
        .meta({ examples: [{ token: exampleToken, password: 'correct Horse 8 battery' }] }),
      answer: { status: 200 },
      async handle({ body, context, address }) {
        await bus.request(resetPassword, { ...body, address }, context);
        return { status: 200 };
      },
    }),
    anyone.post('/auth/reset/validate-password', 'validatePassword', validatePassword),
  ];
}

/** Redirects a browser that navigates here to the front page; any other client gets 200. */
async function endSession(
  bus: Bus,
  sessionCookie: SessionCookie,
  {
    token,
    context,
    isSecure,
    header,
  }: Pick<Call<unknown, unknown, unknown>, 'token' | 'context' | 'isSecure' | 'header'>,
  isNavigation: boolean,
): Promise<Reply> {
  if (token?.kind === 'session') await bus.request(logout, { sessionId: token.id }, context);
  const headers = { 'set-cookie': sessionCookie.clear(isSecure) };
  return isNavigation && header('accept')?.includes('text/html')
    ? { status: 302, headers: { ...headers, location: '/' } }
    : { status: 200, headers };
}
