import type { Bus } from '@yardarm/shared/bus';
import {
  changeOwnPassword,
  requestPasswordReset,
  setPassword,
  validatePassword,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { idOf } from '../http/wire.ts';

const tag = 'Users';
const path = '/api/admin/user-admin';

/** Passwords of users, as admins set them and as their owners change them. `address` is that of the gateway, for links. */
export function passwordRoutes(bus: Bus, address: string): Route[] {
  return [
    route({
      method: 'post',
      path: `${path}/validate-password`,
      operationId: 'validateUserPassword',
      ...ofContract(validatePassword),
      tag,
      door: 'admin',
      beforePasswordChange: true,
      body: validatePassword.input,
      answer: { status: 200 },
      async handle({ body, context }) {
        await bus.request(validatePassword, body, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'post',
      path: `${path}/reset-password`,
      operationId: 'resetUserPassword',
      ...ofContract(requestPasswordReset),
      tag,
      door: 'admin',
      body: z.object({ id: requestPasswordReset.input.shape.user }).meta({ examples: [{ id: 'ann@example.com' }] }),
      answer: {
        status: 200,
        schema: z.object({ resetPasswordUrl: z.url() }).meta({
          examples: [
            {
              resetPasswordUrl: 'https://flags.example.com/reset-password?token=reset_yd_0aBcDeFgHiJkLmNoPqRsTu_VwXyZ0',
            },
          ],
        }),
      },
      async handle({ body, context }) {
        const { token } = await bus.request(requestPasswordReset, { user: body.id }, context);
        const resetPasswordUrl = `${address}/reset-password?token=${encodeURIComponent(token)}`;
        return { status: 200, body: { resetPasswordUrl }, headers: { 'cache-control': 'no-store' } };
      },
    }),
    route({
      method: 'post',
      path: `${path}/:id/change-password`,
      operationId: 'changeUserPassword',
      ...ofContract(setPassword),
      tag,
      door: 'admin',
      params: z.object({ id: z.string() }),
      body: setPassword.input.omit({ userId: true }).meta({ examples: [{ password: 'correct Horse 8 battery' }] }),
      answer: { status: 200 },
      async handle({ params, body, context }) {
        await bus.request(setPassword, { ...body, userId: idOf(params.id, 'user') }, context);
        return { status: 200 };
      },
    }),
    route({
      method: 'post',
      path: '/api/admin/user/change-password',
      operationId: 'changeMyPassword',
      ...ofContract(changeOwnPassword),
      tag,
      door: 'admin',
      beforePasswordChange: true,
      body: changeOwnPassword.input.omit({ address: true, sessionId: true }).meta({
        examples: [
          {
            password: 'correct Horse 8 battery',
            confirmPassword: 'correct Horse 8 battery',
            oldPassword: 'wrong Horse 7 battery',
          },
        ],
      }),
      answer: { status: 200 },
      async handle({ body, context, token, address: from }) {
        const sessionId = token?.kind === 'session' ? token.id : null;
        await bus.request(changeOwnPassword, { ...body, sessionId, address: from }, context);
        return { status: 200 };
      },
    }),
  ];
}
