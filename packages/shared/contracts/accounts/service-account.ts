import { z } from 'zod';
import { request } from '../contract.ts';
import { displayNameSchema, timestamp } from './fields.ts';
import { personalTokenSchema } from './personal-token.ts';
import { roleSchema } from './role.ts';

const serviceAccountExample = {
  id: 41,
  name: 'Deployer',
  username: 'deployer',
  imageUrl: 'https://gravatar.com/avatar/59a8?s=42&d=retro&r=g',
  rootRole: 2,
  createdAt: '2026-01-31T12:00:00.000Z',
  tokens: [],
  isAPI: true,
  email: 'noemail@getunleash.io',
  inviteLink: '',
  loginAttempts: 0,
  emailSent: false,
  seenAt: null,
};

/** A service account of the public API. Deprecated fields carry constants. */
export const serviceAccountSchema = z
  .object({
    id: z.number(),
    name: z.string(),
    username: z.string(),
    imageUrl: z.string(),
    rootRole: z.number().int(),
    createdAt: timestamp,
    tokens: z.array(personalTokenSchema),
    isAPI: z.boolean(),
    email: z.string(),
    inviteLink: z.string(),
    loginAttempts: z.number(),
    emailSent: z.boolean(),
    seenAt: timestamp.nullable(),
  })
  .meta({ id: 'serviceAccountSchema', examples: [serviceAccountExample] });

/** The answers of changes list no tokens: those of the release before have none, and gateways refuse others. */
const withoutTokens = serviceAccountSchema.extend({ tokens: z.array(personalTokenSchema).max(0) });

export type ServiceAccount = z.infer<typeof serviceAccountSchema>;

export const createServiceAccount = request({
  name: 'accounts.service-account.create',
  writes: true,
  summary: 'Makes a service account',
  input: z
    .object({ username: displayNameSchema, name: displayNameSchema, rootRole: z.number().int() })
    .meta({ examples: [{ username: 'deployer', name: 'Deployer', rootRole: 2 }] }),
  output: withoutTokens,
  errors: ['bad-data', 'name-exists'],
  permission: 'ADMIN',
});

export const listServiceAccounts = request({
  name: 'accounts.service-account.list',
  writes: false,
  summary: 'Every service account with its tokens, and the root roles',
  input: z.object({}),
  output: z.object({ serviceAccounts: z.array(serviceAccountSchema), rootRoles: z.array(roleSchema) }).meta({
    examples: [
      {
        serviceAccounts: [serviceAccountExample],
        rootRoles: [
          { id: 2, type: 'root', name: 'Editor', description: 'May do most things in every project.', project: null },
        ],
      },
    ],
  }),
  permission: 'ADMIN',
});

export const updateServiceAccount = request({
  name: 'accounts.service-account.update',
  writes: true,
  summary: 'Changes name or root role of a service account; its username stays; the answer lists no tokens',
  input: z
    .object({
      serviceAccountId: z.number().int(),
      name: displayNameSchema.optional(),
      rootRole: z.number().int().optional(),
    })
    .meta({ examples: [{ serviceAccountId: 41, name: 'Deployer of releases', rootRole: 3 }] }),
  output: withoutTokens,
  errors: ['not-found', 'bad-data'],
  permission: 'ADMIN',
});

export const deleteServiceAccount = request({
  name: 'accounts.service-account.delete',
  writes: true,
  summary: 'Deletes a service account with its tokens, memberships and roles',
  input: z.object({ serviceAccountId: z.number().int() }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: 'ADMIN',
});
