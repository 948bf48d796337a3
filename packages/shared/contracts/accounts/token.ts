import { z } from 'zod';
import { actorSchema } from '../actor.ts';
import { hint, request } from '../contract.ts';
import { maxProjects } from './api-token.ts';

/** `personal` is a person's own or a service account's; a `session` is what a login gave, and comes in a cookie. */
export const tokenKinds = ['client', 'frontend', 'admin', 'personal', 'session'] as const;

export type TokenKind = (typeof tokenKinds)[number];

/**
 * What a token may do, for the gateway to hold it against the secret that came: `hash` is base64url(SHA-256(whole token)).
 * An SDK token (`client`, `frontend`) has an environment and projects and no actor; the others have an actor with its grants.
 */
export const resolvedTokenSchema = z.object({
  id: z.number().int(),
  kind: z.enum(tokenKinds),
  name: z.string(),
  selector: z.string(),
  hash: z.string(),
  expiresAt: z.iso.datetime().nullable(),
  environment: z.string().nullable(),
  /** `['*']` is every project. */
  projects: z.array(z.string()).max(maxProjects),
  actor: actorSchema.nullable(),
  /** Its owner may do nothing but choose a password. */
  mustChangePassword: z.boolean(),
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

export const accessChangedHint = hint({
  name: 'accounts.access-changed',
  summary: 'What somebody may do has changed (null: anybody): ask again before their tokens are believed',
  payload: z.object({ userId: z.number().int().nullable() }),
});

/** What one message carries; a gateway that has seen more tokens sends several. */
export const maxSeenTokens = 5_000;

export const reportSeenTokens = request({
  name: 'accounts.token.report-seen',
  summary: 'When tokens were last used: gateways tell it in batches, and the latest moment of each wins',
  input: z.object({
    seen: z.array(z.object({ id: z.number().int(), at: z.iso.datetime() })).max(maxSeenTokens),
  }),
  output: z.object({}),
  permission: 'internal',
});
