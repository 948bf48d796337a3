import { z } from 'zod';
import { request } from '../contract.ts';

/** The public product had some ten splashes in all its versions. GET of the user has all that a user has seen. */
export const maxSplashesPerUser = 50;

export const splashResponseSchema = z
  .object({ userId: z.number().int(), splashId: z.string(), seen: z.boolean() })
  .meta({ id: 'splashResponseSchema', examples: [{ userId: 12, splashId: 'new-splash-screen', seen: true }] });

export type SeenSplash = z.infer<typeof splashResponseSchema>;

export const markSplashSeen = request({
  name: 'accounts.splash.mark-seen',
  writes: true,
  summary: 'Notes that the caller has seen a splash, so that the console shows it no more',
  input: z.object({
    splashId: z
      .string()
      // The name is a property of the answer of GET of the user.
      .regex(/^[a-zA-Z0-9][\w.-]{0,99}$/, 'should be a name: at most 100 letters, digits and -_., beginning with one'),
  }),
  output: splashResponseSchema,
  errors: ['forbidden', 'limit-exceeded'],
  permission: 'authenticated',
});
