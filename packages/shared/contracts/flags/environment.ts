import { z } from 'zod';
import { request } from '../contract.ts';
import { recordKey } from './record-key.ts';

/** Environment names are part of URLs, so they are URL-safe. `.` and `..` would be path steps. */
export const environmentNameSchema = z
  .string()
  .min(1, 'should not be empty')
  .max(100, 'should have at most 100 characters')
  .regex(/^[a-zA-Z0-9~_.-]+$/, 'should be URL friendly: letters, digits and -_.~')
  .refine((name) => name !== '.' && name !== '..', 'should be URL friendly: . and .. are path steps')
  .refine(...recordKey);

/** The public product gives a meaning to development, test, preproduction and production. Other types have none. */
const typeSchema = z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters');

/** There are no change requests. To accept a number of approvals would promise protection. */
const requiredApprovalsSchema = z.null('should be null: there are no change requests');

export const environmentExample = {
  name: 'staging',
  type: 'preproduction',
  sortOrder: 3,
  enabled: true,
  protected: false,
  requiredApprovals: null,
};

/** `enabled` is whether projects can add the environment. It does not change what SDKs read. */
export const environmentSchema = z
  .object({
    name: z.string(),
    type: z.string(),
    sortOrder: z.number().int(),
    enabled: z.boolean(),
    protected: z.boolean(),
    requiredApprovals: z.number().int().nullable(),
  })
  .meta({ id: 'environmentSchema', examples: [environmentExample] });

export type Environment = z.infer<typeof environmentSchema>;

export const listedEnvironmentSchema = environmentSchema.extend({
  /** How many projects have the environment, without archived ones. */
  projectCount: z.number().int(),
  /** The flags that are on in the environment, over all projects. */
  enabledToggleCount: z.number().int(),
});

export type ListedEnvironment = z.infer<typeof listedEnvironmentSchema>;

export const listEnvironments = request({
  name: 'flags.environment.list',
  writes: false,
  summary: 'All environments in their order, with the numbers of projects and of flags that are on',
  input: z.object({}),
  output: z.object({ environments: z.array(listedEnvironmentSchema) }),
  permission: 'authenticated',
});

export const getEnvironment = request({
  name: 'flags.environment.get',
  writes: false,
  summary: 'One environment',
  input: z.object({ name: z.string() }),
  output: environmentSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const createEnvironment = request({
  name: 'flags.environment.create',
  writes: true,
  summary: 'Makes an environment, the last one unless the caller gives a sort order',
  input: z
    .object({
      name: environmentNameSchema,
      type: typeSchema,
      enabled: z.boolean().default(true),
      sortOrder: z.int32().optional(),
      requiredApprovals: requiredApprovalsSchema.default(null),
    })
    .meta({ examples: [{ name: 'staging', type: 'preproduction' }] }),
  output: environmentSchema,
  errors: ['name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const validateEnvironmentName = request({
  name: 'flags.environment.validate-name',
  writes: false,
  summary: 'Checks that an environment may have this name: it is valid and no environment has it',
  input: z.object({ name: environmentNameSchema }).meta({ examples: [{ name: 'staging' }] }),
  output: z.object({}),
  errors: ['name-exists'],
  permission: 'ADMIN',
});

export const updateEnvironment = request({
  name: 'flags.environment.update',
  writes: true,
  summary: 'Changes type, sort order and required approvals of an environment; absent properties stay',
  input: z.object({
    name: z.string(),
    type: typeSchema.optional(),
    sortOrder: z.int32().optional(),
    requiredApprovals: requiredApprovalsSchema.optional(),
  }),
  output: environmentSchema,
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const enableEnvironment = request({
  name: 'flags.environment.enable',
  writes: true,
  summary: 'Decides whether projects can add an environment; projects that have it keep it',
  input: z.object({ name: z.string(), enabled: z.boolean() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const sortEnvironments = request({
  name: 'flags.environment.sort',
  writes: true,
  summary: 'Changes the sort orders of environments; the others keep theirs',
  input: z.object({
    sortOrders: z.record(z.string().max(100), z.int32()).meta({ examples: [{ development: 1, production: 2 }] }),
  }),
  output: z.object({}),
  errors: ['bad-data'],
  permission: 'ADMIN',
});

export const deleteEnvironment = request({
  name: 'flags.environment.delete',
  writes: true,
  summary: 'Deletes an environment that no project has',
  input: z.object({ name: z.string() }),
  output: z.object({}),
  errors: ['not-found', 'conflict', 'operation-denied'],
  permission: 'ADMIN',
});

export const cloneEnvironment = request({
  name: 'flags.environment.clone',
  writes: true,
  summary:
    'Makes an environment and adds it to projects, with the strategies, variants and states that their flags have in another one. It copies no permissions',
  input: z.object({
    /** The environment whose strategies, variants and states are copied. */
    name: z.string(),
    clone: z
      .object({
        name: environmentNameSchema,
        type: typeSchema,
        /** The projects that get the new environment; `*` is every project that has the source. */
        projects: z.array(z.string().max(100)).max(1000).default([]),
      })
      .meta({ examples: [{ name: 'staging', type: 'preproduction', projects: ['default'] }] }),
  }),
  output: environmentSchema,
  errors: ['not-found', 'name-exists', 'bad-data', 'limit-exceeded'],
  permission: 'ADMIN',
});
