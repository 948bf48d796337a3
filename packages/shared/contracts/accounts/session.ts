import { z } from 'zod';
import { request } from '../contract.ts';
import { passwordSchema, timestamp } from './fields.ts';
import { signedInUserSchema } from './user.ts';

/** The address that the gateway sees as the request's origin. Attempts are counted per address. */
const address = z.string().max(100);

/** A password is reset because others may know it, and they may have made tokens. */
const keepPersonalTokens = z.boolean().default(false);

export const login = request({
  name: 'accounts.session.begin',
  writes: 'in-maintenance',
  summary: 'Begins a session for a username or an e-mail and its password; only this answer carries the session token',
  input: z.strictObject({
    username: z.string().max(255, 'should have at most 255 characters'),
    password: passwordSchema,
    address,
  }),
  output: z.object({ user: signedInUserSchema, session: z.object({ token: z.string(), expiresAt: timestamp }) }),
  errors: ['password-mismatch', 'rate-limited'],
  permission: 'public',
});

export const logout = request({
  name: 'accounts.session.end',
  writes: 'in-maintenance',
  summary: 'Ends a session; does nothing when it has ended already',
  input: z.object({ sessionId: z.number().int() }),
  output: z.object({}),
  permission: 'authenticated',
});

/** Forms send these with a new password. As in the public product, its validation does not read them. */
const otherPasswords = { oldPassword: passwordSchema.optional(), confirmPassword: passwordSchema.optional() };

export const validatePassword = request({
  name: 'accounts.password.validate',
  writes: false,
  summary: 'Checks whether a password is strong enough',
  input: z
    .strictObject({ password: passwordSchema, ...otherPasswords })
    .meta({ examples: [{ password: 'correct Horse 8 battery' }] }),
  output: z.object({}),
  errors: ['weak-password'],
  permission: 'public',
});

export const setPassword = request({
  name: 'accounts.password.set',
  writes: true,
  summary:
    "Sets a user's password, ends all their sessions, and deletes their personal access tokens unless it keeps them",
  input: z
    .object({ userId: z.number().int(), password: passwordSchema, keepPersonalTokens })
    .meta({ examples: [{ userId: 12, password: 'correct Horse 8 battery', keepPersonalTokens: false }] }),
  output: z.object({}),
  errors: ['not-found', 'weak-password'],
  permission: 'ADMIN',
});

export const changeOwnPassword = request({
  name: 'accounts.password.change-own',
  writes: 'in-maintenance',
  summary: "Changes the caller's password after a check of the old one; all other sessions of the caller end",
  input: z.object({
    password: passwordSchema,
    confirmPassword: passwordSchema,
    oldPassword: passwordSchema,
    /** The session that stays; null if the caller has none. */
    sessionId: z.number().int().nullable(),
    address,
  }),
  output: z.object({}),
  errors: ['forbidden', 'bad-data', 'weak-password', 'password-mismatch', 'rate-limited'],
  permission: 'authenticated',
});

/** The token is valid for 24 hours. A user has at most one. */
export const requestPasswordReset = request({
  name: 'accounts.password.request-reset',
  writes: true,
  summary: 'Makes the one-time token with which a user sets a new password; an earlier token ends',
  input: z.object({ user: z.string().max(255, 'should have at most 255 characters') }),
  output: z.object({ token: z.string(), expiresAt: timestamp }),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const checkPasswordReset = request({
  name: 'accounts.password.check-reset',
  writes: false,
  summary: 'The user whose password a one-time token can set',
  input: z.object({ token: z.string().max(500, 'should have at most 500 characters'), address }),
  output: z.object({
    id: z.number().int(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    username: z.string().optional(),
    createdBy: z.string().nullable(),
    role: z.object({ id: z.number().int(), type: z.string(), name: z.string(), description: z.string() }),
  }),
  errors: ['invalid-token', 'rate-limited'],
  permission: 'public',
});

export const resetPassword = request({
  name: 'accounts.password.reset',
  writes: 'in-maintenance',
  summary:
    "Sets a password with a one-time token; the token and the user's sessions end, and their personal access tokens are deleted unless it keeps them",
  input: z.object({
    token: z.string().max(500, 'should have at most 500 characters'),
    password: passwordSchema,
    keepPersonalTokens,
    address,
  }),
  output: z.object({}),
  errors: ['invalid-token', 'weak-password', 'rate-limited'],
  permission: 'public',
});
