import { z } from 'zod';
import { permissionSchema } from './permission-schema.ts';

/**
 * Permissions that an actor holds: everywhere when `projects` is absent, in every environment when `environment` is
 * absent. One role in many projects is one grant, so that an actor with roles in a thousand projects fits a message's
 * header.
 */
export const grantSchema = z.object({
  permissions: z.array(permissionSchema),
  projects: z.array(z.string()).optional(),
  environment: z.string().optional(),
});

export type Grant = z.infer<typeof grantSchema>;

/**
 * The caller of a request. The gateway resolves it once from the token. Every request carries it with its grants, so
 * that the service that owns a resource can authorize alone. `username` becomes the event's `createdBy`, `id` its
 * `createdByUserId`.
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

/** The public product's ids for actors that are not users (its pull request 5915). */
export const systemUserId = -1337;
export const adminTokenUserId = -42;

/** Yardarm itself: migrations, first start, background work. No request from outside has this actor. */
export const systemActor: Actor = {
  kind: 'system',
  id: systemUserId,
  username: 'yardarm-system',
  grants: [{ permissions: ['ADMIN'] }],
};
