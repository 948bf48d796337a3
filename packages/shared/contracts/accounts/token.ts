import { z } from 'zod';
import { actorSchema } from '../actor.ts';
import { hint, request } from '../contract.ts';

export const apiTokenKinds = ['client', 'frontend', 'admin', 'personal'] as const;

/**
 * What a token may do, for the gateway to hold it against the secret that came: `hash` is base64url(SHA-256(whole token)).
 * An SDK token (`client`, `frontend`) has an environment and projects and no actor; the others have an actor with its grants.
 */
export const resolvedTokenSchema = z.object({
  id: z.number().int(),
  kind: z.enum(apiTokenKinds),
  name: z.string(),
  selector: z.string(),
  hash: z.string(),
  expiresAt: z.iso.datetime().nullable(),
  environment: z.string().nullable(),
  /** `['*']` is every project. */
  projects: z.array(z.string()),
  actor: actorSchema.nullable(),
});

export type ResolvedToken = z.infer<typeof resolvedTokenSchema>;

export const resolveToken = request({
  name: 'accounts.token.resolve',
  summary: 'The token with this selector and what it may do; null when there is none',
  input: z.object({ selector: z.string().max(100) }),
  output: z.object({ token: resolvedTokenSchema.nullable() }),
  permission: 'internal',
});

export const tokenChangedHint = hint({
  name: 'accounts.token-changed',
  summary: 'A token was revoked, or what it may do has changed: forget what is cached of it',
  payload: z.object({ selector: z.string() }),
});
