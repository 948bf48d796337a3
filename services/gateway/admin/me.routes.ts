import type { Bus } from '@yardarm/shared/bus';
import { permissionSchema } from '@yardarm/shared/contracts';
import {
  getMe,
  getProfile,
  listOwnRoles,
  markSplashSeen,
  roleSchema,
  rootRoleExample,
  signedInUserSchema,
  storeFeedback,
  userExample,
} from '@yardarm/shared/contracts/accounts';
import { listProjectIds } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { ownPermissions } from './own-permissions.ts';

const path = '/api/admin/user';
const tag = 'Users';

const meSchema = z
  .object({
    user: signedInUserSchema,
    permissions: z.array(
      z.object({ permission: permissionSchema, project: z.string().optional(), environment: z.string().optional() }),
    ),
    feedback: getMe.output.shape.feedback,
    splash: getMe.output.shape.splash,
  })
  .meta({
    examples: [
      {
        user: userExample,
        permissions: [{ permission: 'CREATE_ADDON' }, { permission: 'UPDATE_FEATURE', project: 'default' }],
        feedback: [],
        splash: { 'new-splash-screen': true as const },
      },
    ],
  });

/** Yardarm has no subscriptions and no features of a user, so both lists are empty. */
const profileSchema = getProfile.output
  .extend({ projects: z.array(z.string()), subscriptions: z.array(z.never()), features: z.array(z.never()) })
  .meta({
    examples: [
      {
        rootRole: rootRoleExample,
        projects: ['default'],
        groups: [{ id: 3, name: 'Release crew', description: 'Who is on duty this week' }],
        subscriptions: [],
        features: [],
        canChangePassword: true,
      },
    ],
  });

const rolesSchema = z
  .object({ version: z.literal(1), roles: z.array(roleSchema) })
  .meta({ examples: [{ version: 1, roles: [rootRoleExample] }] });

const idOf = (field: string) => ({ id: { field } });

export function ownRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag });
  const consoles = contractRoutes(bus, { audience: 'admin', tag: 'Admin UI' });
  return [
    route({
      method: 'get',
      path,
      operationId: 'getMe',
      answerName: 'meSchema',
      ...ofContract(getMe),
      tag,
      audience: 'admin',
      beforePasswordChange: true,
      answer: { status: 200, schema: meSchema },
      async handle({ context }) {
        const { splash, feedback, ...user } = await bus.request(getMe, {}, context);
        const permissions = ownPermissions(context.actor?.grants ?? []);
        return { status: 200, body: { user, permissions, feedback, splash } };
      },
    }),
    route({
      method: 'get',
      path: `${path}/profile`,
      operationId: 'getProfile',
      answerName: 'profileSchema',
      ...ofContract(getProfile),
      tag,
      audience: 'admin',
      answer: { status: 200, schema: profileSchema },
      async handle({ context }) {
        const profile = await bus.request(getProfile, {}, context);
        const projects = profile.projects ?? (await bus.request(listProjectIds, {}, context)).projects;
        return { status: 200, body: { ...profile, projects, subscriptions: [], features: [] } };
      },
    }),
    consoles.post('/api/admin/splash/:id', 'updateSplashSettings', markSplashSeen, { params: idOf('splashId') }),
    consoles.post('/api/admin/feedback', 'createFeedback', storeFeedback),
    consoles.put('/api/admin/feedback/:id', 'updateFeedback', storeFeedback, { params: idOf('feedbackId') }),
    admin.get(`${path}/roles`, 'getUserRoles', listOwnRoles, {
      answerName: 'rolesSchema',
      version: 1,
      answer: rolesSchema,
    }),
  ];
}
