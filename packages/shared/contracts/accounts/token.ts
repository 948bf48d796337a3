import { z } from 'zod';
import { actorSchema } from '../actor.ts';
import { hint, request } from '../contract.ts';
import { maxProjects } from './api-token.ts';

/** `personal` belongs to a person or a service account. A login returns a `session`, which travels in a cookie. */
export const tokenKinds = ['client', 'frontend', 'admin', 'personal', 'session'] as const;

export type TokenKind = (typeof tokenKinds)[number];

/**
 * A stored token and its permissions. The gateway compares `hash`, base64url(SHA-256(whole token)), with the token that
 * the caller sent. An SDK token (`client`, `frontend`) has an environment and projects but no actor. The others have an
 * actor with its grants.
 */
export const resolvedTokenSchema = z.object({
  id: z.number().int(),
  kind: z.enum(tokenKinds),
  name: z.string(),
  selector: z.string(),
  hash: z.string(),
  expiresAt: z.iso.datetime().nullable(),
  /** Null of a token for administrators, and of an SDK token whose environment was deleted. */
  environment: z.string().nullable(),
  /** `['*']` is every project. Empty of an SDK token whose environment was deleted: it reads nothing. */
  projects: z.array(z.string()).max(maxProjects),
  actor: actorSchema.nullable(),
  /** Its owner may only set a new password. */
  mustChangePassword: z.boolean(),
});

export type ResolvedToken = z.infer<typeof resolvedTokenSchema>;

export const resolveToken = request({
  name: 'accounts.token.resolve',
  writes: false,
  summary: 'The token with this selector and its permissions; null when it does not exist',
  input: z.object({ selector: z.string().max(100) }),
  output: z.object({ token: resolvedTokenSchema.nullable() }),
  permission: 'internal',
});

/** As many as gateways ask for at once. Accounts finds them in some milliseconds. */
export const maxSelectors = 1_000;

export const findExistingSelectors = request({
  name: 'accounts.token.find-existing',
  writes: false,
  summary: 'Those of the selectors that a token has, for gateways that get many unknown tokens',
  input: z.object({ selectors: z.array(z.string().max(100)).max(maxSelectors) }),
  output: z.object({ existing: z.array(z.string()) }),
  permission: 'internal',
});

export const tokenChangedHint = hint({
  name: 'accounts.token-changed',
  summary: 'A token was revoked or its permissions have changed: remove it from caches',
  payload: z.object({ selector: z.string() }),
});

export const accessChangedHint = hint({
  name: 'accounts.access-changed',
  summary: 'The permissions of a user (null: of any user) have changed: resolve their tokens again before use',
  payload: z.object({ userId: z.number().int().nullable() }),
});

/** The maximum per message. A gateway that has seen more tokens sends several messages. */
export const maxSeenTokens = 5_000;

export const reportSeenTokens = request({
  name: 'accounts.token.report-seen',
  writes: 'in-maintenance',
  summary: 'Reports when tokens were last used, in batches; the latest time of each token wins',
  input: z.object({
    seen: z.array(z.object({ id: z.number().int(), at: z.iso.datetime() })).max(maxSeenTokens),
  }),
  output: z.object({}),
  permission: 'internal',
});
