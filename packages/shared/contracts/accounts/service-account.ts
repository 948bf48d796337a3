import { z } from 'zod';
import { request } from '../contract.ts';

const timestamp = z.iso.datetime();

/** interface.md, Token. The secret is there only in the answer that makes it. */
export const serviceAccountTokenSchema = z.object({
  id: z.number().int().min(1),
  secret: z.string().optional(),
  createdAt: timestamp,
  seenAt: timestamp.nullable(),
  userId: z.number().int(),
  description: z.string(),
  expiresAt: timestamp,
});

export type ServiceAccountToken = z.infer<typeof serviceAccountTokenSchema>;

/** interface.md, Service account; deprecated fields carry their documented constants. */
export const serviceAccountSchema = z.object({
  id: z.number(),
  name: z.string(),
  username: z.string(),
  imageUrl: z.string(),
  rootRole: z.number().int(),
  createdAt: timestamp,
  tokens: z.array(serviceAccountTokenSchema),
  isAPI: z.boolean(),
  email: z.string(),
  inviteLink: z.string(),
  loginAttempts: z.number(),
  emailSent: z.boolean(),
  seenAt: timestamp.nullable(),
});

export type ServiceAccount = z.infer<typeof serviceAccountSchema>;

export const roleSchema = z.object({
  id: z.number().int(),
  type: z.string(),
  name: z.string(),
  description: z.string(),
  project: z.string().nullable(),
});

/** A person's name on the wire: shown in the console, so bounded; never blank. */
const shownName = z
  .string()
  .max(255, 'should have at most 255 characters')
  .refine((text) => text.trim() !== '', 'should not be empty');

export const createServiceAccount = request({
  name: 'accounts.service-account.create',
  summary: 'Makes a service account',
  input: z.object({ username: shownName, name: shownName, rootRole: z.number().int() }),
  output: serviceAccountSchema,
  errors: ['bad-data', 'name-exists'],
  permission: 'ADMIN',
});

export const listServiceAccounts = request({
  name: 'accounts.service-account.list',
  summary: 'Every service account with its tokens, and the root roles',
  input: z.object({}),
  output: z.object({ serviceAccounts: z.array(serviceAccountSchema), rootRoles: z.array(roleSchema) }),
  permission: 'ADMIN',
});

export const createServiceAccountToken = request({
  name: 'accounts.service-account-token.create',
  summary: 'Makes a token for a service account; the only answer that carries its secret',
  input: z.object({
    serviceAccountId: z.number().int(),
    description: shownName,
    expiresAt: z.iso.datetime({ offset: true, error: 'should be a date-time (RFC 3339)' }),
  }),
  output: serviceAccountTokenSchema,
  errors: ['not-found', 'name-exists', 'bad-data'],
  permission: 'ADMIN',
});

export const listServiceAccountTokens = request({
  name: 'accounts.service-account-token.list',
  summary: 'The tokens of a service account, without their secrets',
  input: z.object({ serviceAccountId: z.number().int() }),
  output: z.object({ pats: z.array(serviceAccountTokenSchema) }),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const deleteServiceAccountToken = request({
  name: 'accounts.service-account-token.delete',
  summary: 'Deletes a token of a service account: it is refused from then on',
  input: z.object({ serviceAccountId: z.number().int(), tokenId: z.number().int() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});
