import type { Bus } from '@yardarm/shared/bus';
import {
  changeOwnPassword,
  requestPasswordReset,
  setPassword,
  validatePassword,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { contractRoutes } from '../../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../../routing/route.ts';

const tag = 'Users';
const path = '/api/admin/user-admin';

/** `publicUrl` begins the links for choosing a password. */
export function passwordRoutes(bus: Bus, publicUrl: string): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag, params: { id: { field: 'userId', noun: 'user' } } });
  return [
    admin.post(`${path}/validate-password`, 'validateUserPassword', validatePassword, { beforePasswordChange: true }),
    route({
      method: 'post',
      path: `${path}/reset-password`,
      operationId: 'resetUserPassword',
      bodyName: 'idSchema',
      answerName: 'resetPasswordSchema',
      ...ofContract(requestPasswordReset),
      tag,
      audience: 'admin',
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
        const resetPasswordUrl = `${publicUrl}/reset-password?token=${encodeURIComponent(token)}`;
        return { status: 200, body: { resetPasswordUrl } };
      },
    }),
    admin.post(`${path}/:id/change-password`, 'changeUserPassword', setPassword, { bodyName: 'passwordSchema' }),
    route({
      method: 'post',
      path: '/api/admin/user/change-password',
      operationId: 'changeMyPassword',
      ...ofContract(changeOwnPassword),
      tag,
      audience: 'admin',
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
      async handle({ body, context, token, address }) {
        const sessionId = token?.kind === 'session' ? token.id : null;
        await bus.request(changeOwnPassword, { ...body, sessionId, address }, context);
        return { status: 200 };
      },
    }),
  ];
}
