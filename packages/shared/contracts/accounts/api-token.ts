import { z } from 'zod';
import { request } from '../contract.ts';
import { displayNameSchema, givenTimestamp, projectIdSchema, timestamp } from './fields.ts';

export const maxProjects = 1000;

export const apiTokenTypes = ['client', 'frontend', 'admin'] as const;

const example = {
  secret: 'default:development.yd_2sFqmXbDyC0eD1tIYl8wKa',
  secure: true,
  tokenName: 'checkout service',
  type: 'client' as const,
  environment: 'development',
  project: 'default',
  projects: ['default'],
  expiresAt: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  seenAt: null,
  alias: null,
};

/**
 * A token of SDKs or of scripts. In the answer that makes the token, `secret` is the whole token. Later it is the whole
 * token if secrets are readable and the caller may read this one. Else it is the token up to its selector: enough to
 * distinguish and name tokens, but not to authenticate.
 */
export const apiTokenSchema = z
  .object({
    secret: z.string(),
    /** Whether no later answer to this caller has the whole token. Accounts of the release before do not say it. */
    secure: z.boolean().default(true),
    tokenName: z.string(),
    type: z.enum(apiTokenTypes),
    /** The environment that the token reads; `*` of an admin token. */
    environment: z.string(),
    /** The same as `projects`, separated by commas. The public product has deprecated it. */
    project: z.string(),
    /** The projects that the token reads; `['*']` is every project. */
    projects: z.array(z.string()),
    expiresAt: timestamp.nullable(),
    createdAt: timestamp,
    seenAt: timestamp.nullable(),
    /** Always null: only tokens in an old format of the public product have an alias. */
    alias: z.string().nullable(),
  })
  .meta({ id: 'apiTokenSchema', examples: [example] });

/**
 * As in the public product, the answer that makes a client token calls it `backend` when the request did. Listings call
 * it `client`.
 */
export const createdApiTokenSchema = apiTokenSchema
  .extend({ type: z.enum([...apiTokenTypes, 'backend']), projects: z.array(z.string()).max(maxProjects) })
  .meta({
    examples: [{ ...example, secret: `${example.secret}_0aBcDeFgHiJkLmNoPqRsTuVwXyZ0aBcDeFgHiJkLmNoPqRsTuVwXyZ` }],
  });

export type CreatedApiToken = z.infer<typeof createdApiTokenSchema>;

const tokenList = z.object({ tokens: z.array(apiTokenSchema) }).meta({ examples: [{ tokens: [example] }] });

export type ApiToken = z.infer<typeof apiTokenSchema>;

/** `backend` is the newer name of `client`. Case does not matter. */
const givenType = z
  .string()
  .transform((type) => type.toLowerCase())
  .pipe(z.enum(['client', 'backend', 'frontend', 'admin']));

const definition = z.object({
  type: givenType,
  tokenName: displayNameSchema.optional(),
  /** The name of `tokenName` in older versions. */
  username: displayNameSchema.optional(),
  environment: z.string().max(100, 'should have at most 100 characters').optional(),
  expiresAt: givenTimestamp.nullable().optional(),
});

/**
 * A token as the caller names it: whole, or as listings show it. Error messages must not contain the secret: see
 * `redactValue`.
 */
const namedToken = z.string().max(500, 'should have at most 500 characters');

export const listApiTokens = request({
  name: 'accounts.api-token.list',
  writes: false,
  summary: 'The SDK tokens that the caller may read, and admin tokens for admins; optionally only those of one name',
  input: z.object({ tokenName: z.string().optional() }),
  output: tokenList,
  permission: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'],
});

export const createApiToken = request({
  name: 'accounts.api-token.create',
  writes: true,
  summary: 'Makes an SDK token for an environment and projects, or an admin token; the answer carries its secret',
  input: definition
    .extend({ project: projectIdSchema.optional(), projects: z.array(projectIdSchema).max(maxProjects).optional() })
    .meta({
      examples: [{ type: 'client', tokenName: 'checkout service', environment: 'development', projects: ['default'] }],
    }),
  output: createdApiTokenSchema,
  errors: ['bad-data', 'limit-exceeded'],
  permission: ['CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'],
});

export const updateApiToken = request({
  name: 'accounts.api-token.update',
  writes: true,
  summary: 'Changes when a token expires; does nothing when the token does not exist',
  input: z
    .object({ token: namedToken, expiresAt: givenTimestamp.nullable() })
    .meta({ examples: [{ token: example.secret, expiresAt: '2027-01-31T12:00:00Z' }] }),
  output: z.object({}),
  errors: ['bad-data'],
  permission: ['UPDATE_CLIENT_API_TOKEN', 'UPDATE_FRONTEND_API_TOKEN'],
});

export const deleteApiToken = request({
  name: 'accounts.api-token.delete',
  writes: true,
  summary: 'Deletes a token: it is refused from then on; does nothing when the token does not exist',
  input: z.object({ token: namedToken }),
  output: z.object({}),
  permission: ['DELETE_CLIENT_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN'],
});

export const listProjectApiTokens = request({
  name: 'accounts.api-token.list-of-project',
  writes: false,
  summary: 'The SDK tokens that name this project; tokens for every project are left out',
  input: z.object({ projectId: z.string() }),
  output: tokenList,
  errors: ['not-found'],
  permission: 'READ_PROJECT_API_TOKEN',
});

export const countApiTokens = request({
  name: 'accounts.api-token.count',
  writes: false,
  summary: 'The number of SDK tokens of each environment that has any; with a project, only of those that read it',
  input: z.object({ projectId: z.string().optional() }),
  output: z.object({ counts: z.record(z.string(), z.number().int()) }),
  permission: 'authenticated',
});

export const createProjectApiToken = request({
  name: 'accounts.api-token.create-for-project',
  writes: true,
  summary: 'Makes an SDK token for an environment of one project; the answer carries its secret',
  input: definition.extend({ projectId: z.string() }).meta({
    examples: [{ projectId: 'default', type: 'client', tokenName: 'checkout service', environment: 'development' }],
  }),
  output: createdApiTokenSchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'CREATE_PROJECT_API_TOKEN',
});

export const deleteProjectApiToken = request({
  name: 'accounts.api-token.delete-of-project',
  writes: true,
  summary: 'Deletes an SDK token that reads this project and no other',
  input: z.object({ projectId: z.string(), token: namedToken }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: 'DELETE_PROJECT_API_TOKEN',
});
