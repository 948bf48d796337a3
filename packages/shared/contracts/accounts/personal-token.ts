import { z } from 'zod';
import { request } from '../contract.ts';
import { displayNameSchema, givenTimestamp, timestamp } from './fields.ts';

const example = {
  id: 7,
  createdAt: '2026-01-31T12:00:00.000Z',
  seenAt: null,
  userId: 12,
  description: 'deploy pipeline',
  expiresAt: '2027-01-31T12:00:00.000Z',
};

/** A personal access token. Only the answer that makes it has the secret. */
export const personalTokenSchema = z
  .object({
    id: z.number().int().min(1),
    secret: z.string().optional(),
    createdAt: timestamp,
    seenAt: timestamp.nullable(),
    userId: z.number().int(),
    description: z.string(),
    expiresAt: timestamp,
  })
  .meta({ id: 'patSchema', examples: [example] });

const tokenList = z.object({ pats: z.array(personalTokenSchema) }).meta({ examples: [{ pats: [example] }] });

export type PersonalToken = z.infer<typeof personalTokenSchema>;

const definitionExample = { description: 'deploy pipeline', expiresAt: '2027-01-31T12:00:00Z' };
export const personalTokenDefinitionSchema = z
  .object({ description: displayNameSchema, expiresAt: givenTimestamp })
  .meta({ examples: [definitionExample] });

export const listPersonalTokens = request({
  name: 'accounts.personal-token.list',
  writes: false,
  summary: "The caller's personal access tokens, without their secrets",
  input: z.object({}),
  output: tokenList,
  errors: ['forbidden'],
  permission: 'authenticated',
});

export const createPersonalToken = request({
  name: 'accounts.personal-token.create',
  writes: true,
  summary: 'Makes a personal access token for the caller; only this answer carries its secret',
  input: personalTokenDefinitionSchema.extend({
    /** The session or token of the caller. Null from a gateway of the release before, which does not name it. */
    callerTokenId: z.number().int().nullable().default(null),
  }),
  output: personalTokenSchema,
  errors: ['forbidden', 'name-exists', 'bad-data', 'operation-denied'],
  permission: 'authenticated',
});

export const deletePersonalToken = request({
  name: 'accounts.personal-token.delete',
  writes: true,
  summary: "Deletes one of the caller's personal access tokens: it is refused from then on",
  input: z.object({ tokenId: z.number().int() }),
  output: z.object({}),
  errors: ['forbidden', 'not-found'],
  permission: 'authenticated',
});

export const listUserTokens = request({
  name: 'accounts.user-token.list',
  writes: false,
  summary: "A user's personal access tokens, without their secrets",
  input: z.object({ userId: z.number().int() }),
  output: tokenList,
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const deleteUserToken = request({
  name: 'accounts.user-token.delete',
  writes: true,
  summary: "Deletes one of a user's personal access tokens: it is refused from then on",
  input: z.object({ userId: z.number().int(), tokenId: z.number().int() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const createServiceAccountToken = request({
  name: 'accounts.service-account-token.create',
  writes: true,
  summary: 'Makes a token for a service account; only this answer carries its secret',
  input: personalTokenDefinitionSchema
    .extend({ serviceAccountId: z.number().int() })
    .meta({ examples: [{ serviceAccountId: 41, ...definitionExample }] }),
  output: personalTokenSchema,
  errors: ['not-found', 'name-exists', 'bad-data'],
  permission: 'ADMIN',
});

export const listServiceAccountTokens = request({
  name: 'accounts.service-account-token.list',
  writes: false,
  summary: 'The tokens of a service account, without their secrets',
  input: z.object({ serviceAccountId: z.number().int() }),
  output: tokenList,
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const deleteServiceAccountToken = request({
  name: 'accounts.service-account-token.delete',
  writes: true,
  summary: 'Deletes a token of a service account: it is refused from then on',
  input: z.object({ serviceAccountId: z.number().int(), tokenId: z.number().int() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});
