import { z } from 'zod';
import { permissionSchema } from './permissions.ts';

/**
 * Permissions held together: everywhere when `projects` is absent, in every environment when `environment` is absent. What one role
 * permits in many projects is one grant, so that an actor with roles in a thousand projects still fits a message's header.
 */
export const grantSchema = z.object({
  permissions: z.array(permissionSchema),
  projects: z.array(z.string()).optional(),
  environment: z.string().optional(),
});

export type Grant = z.infer<typeof grantSchema>;

/**
 * Who asks. The gateway resolves it once from the token and every request carries it with its grants, so that the
 * service that owns a resource decides alone. `username` becomes the event's `createdBy`, `id` its `createdByUserId`.
 */
export const actorSchema = z.object({
  kind: z.enum(['user', 'service-account', 'admin-token', 'system']),
  id: z.number().int(),
  username: z.string(),
  name: z.string().optional(),
  email: z.string().optional(),
  grants: z.array(grantSchema),
});

export type Actor = z.infer<typeof actorSchema>;

/** The ids the public product gives to actors that are no person (pull request 5915 of that product). */
export const systemUserId = -1337;
export const adminTokenUserId = -42;

/** Yardarm itself: migrations, first start, background work. Never the actor of a request from outside. */
export const systemActor: Actor = {
  kind: 'system',
  id: systemUserId,
  username: 'yardarm-system',
  grants: [{ permissions: ['ADMIN'] }],
};
