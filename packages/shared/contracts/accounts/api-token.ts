import { z } from 'zod';
import { request } from '../contract.ts';
import { displayNameSchema, givenTimestamp, projectIdSchema, timestamp } from './fields.ts';

/** The most projects that one token names. */
export const maxProjects = 1000;

export const apiTokenTypes = ['client', 'frontend', 'admin'] as const;

const example = {
  secret: 'default:development.yd_2sFqmXbDyC0eD1tIYl8wKa',
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
 * A token of SDKs or of scripts. `secret` is the whole token in the answer that makes it; later it is the token up to its selector,
 * enough to tell tokens apart and to name one, and worth nothing to a thief.
 */
export const apiTokenSchema = z
  .object({
    secret: z.string(),
    tokenName: z.string(),
    type: z.enum(apiTokenTypes),
    /** `*` of an admin token. */
    environment: z.string(),
    /** Deprecated by the public product for `projects`: the same, with commas between. */
    project: z.string(),
    /** `['*']` is every project. */
    projects: z.array(z.string()),
    expiresAt: timestamp.nullable(),
    createdAt: timestamp,
    seenAt: timestamp.nullable(),
    /** Another name of tokens in an old format of the public product, which are not made here: always null. */
    alias: z.string().nullable(),
  })
  .meta({ examples: [example] });

/** The answer that makes a token calls a client token `backend` when that was asked for; listings call it `client`. As the public product. */
export const madeApiTokenSchema = apiTokenSchema
  .extend({ type: z.enum([...apiTokenTypes, 'backend']), projects: z.array(z.string()).max(maxProjects) })
  .meta({
    examples: [{ ...example, secret: `${example.secret}_0aBcDeFgHiJkLmNoPqRsTuVwXyZ0aBcDeFgHiJkLmNoPqRsTuVwXyZ` }],
  });

export type MadeApiToken = z.infer<typeof madeApiTokenSchema>;

const tokenList = z.object({ tokens: z.array(apiTokenSchema) }).meta({ examples: [{ tokens: [example] }] });

export type ApiToken = z.infer<typeof apiTokenSchema>;

/** `backend` is the newer name of `client`; any case is taken. */
const givenType = z
  .string()
  .transform((type) => type.toLowerCase())
  .pipe(z.enum(['client', 'backend', 'frontend', 'admin']));

const definition = z.object({
  type: givenType,
  tokenName: displayNameSchema.optional(),
  /** What older versions called tokenName. */
  username: displayNameSchema.optional(),
  environment: z.string().max(100, 'should have at most 100 characters').optional(),
  expiresAt: givenTimestamp.nullable().optional(),
});

/** A token as the caller names it: whole, or as listings show it. Never a secret in an error message: see `redactValue`. */
const namedToken = z.string().max(500, 'should have at most 500 characters');

export const listApiTokens = request({
  name: 'accounts.api-token.list',
  summary: 'The SDK tokens that the caller may read, and admin tokens for admins; of one name when it is given',
  input: z.object({ tokenName: z.string().optional() }),
  output: tokenList,
  permission: ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'],
  replies: 'many',
});

export const createApiToken = request({
  name: 'accounts.api-token.create',
  summary:
    'Makes an SDK token for an environment and projects, or an admin token; the only answer that carries its secret',
  input: definition
    .extend({ project: projectIdSchema.optional(), projects: z.array(projectIdSchema).max(maxProjects).optional() })
    .meta({
      examples: [{ type: 'client', tokenName: 'checkout service', environment: 'development', projects: ['default'] }],
    }),
  output: madeApiTokenSchema,
  errors: ['bad-data', 'limit-exceeded'],
  permission: ['CREATE_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'],
});

export const updateApiToken = request({
  name: 'accounts.api-token.update',
  summary: 'Changes when a token expires; nothing when there is no such token',
  input: z
    .object({ token: namedToken, expiresAt: givenTimestamp.nullable() })
    .meta({ examples: [{ token: example.secret, expiresAt: '2027-01-31T12:00:00Z' }] }),
  output: z.object({}),
  errors: ['bad-data'],
  permission: ['UPDATE_CLIENT_API_TOKEN', 'UPDATE_FRONTEND_API_TOKEN'],
});

export const deleteApiToken = request({
  name: 'accounts.api-token.delete',
  summary: 'Deletes a token: it is refused from then on; nothing when there is no such token',
  input: z.object({ token: namedToken }),
  output: z.object({}),
  permission: ['DELETE_CLIENT_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN'],
});

export const listProjectApiTokens = request({
  name: 'accounts.api-token.list-of-project',
  summary: 'The SDK tokens that read this project, and not every project',
  input: z.object({ projectId: z.string() }),
  output: tokenList,
  errors: ['not-found'],
  permission: 'READ_PROJECT_API_TOKEN',
  replies: 'many',
});

export const createProjectApiToken = request({
  name: 'accounts.api-token.create-for-project',
  summary: 'Makes an SDK token for an environment of one project; the only answer that carries its secret',
  input: definition.extend({ projectId: z.string() }).meta({
    examples: [{ projectId: 'default', type: 'client', tokenName: 'checkout service', environment: 'development' }],
  }),
  output: madeApiTokenSchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'CREATE_PROJECT_API_TOKEN',
});

export const deleteProjectApiToken = request({
  name: 'accounts.api-token.delete-of-project',
  summary: 'Deletes an SDK token that reads this project and no other',
  input: z.object({ projectId: z.string(), token: namedToken }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: 'DELETE_PROJECT_API_TOKEN',
});
