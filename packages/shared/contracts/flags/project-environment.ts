import { z } from 'zod';
import { request } from '../contract.ts';
import { environmentSchema } from './environment.ts';
import { newStrategySchema, strategySchema } from './strategy.ts';

/** The strategy of a flag that is switched on without an enabled one. It has no sort order: it is added last. */
export const defaultStrategySchema = strategySchema
  .pick({ name: true, title: true, segments: true, constraints: true, variants: true, parameters: true })
  .extend({ disabled: z.boolean().nullable() })
  .meta({
    examples: [
      {
        name: 'flexibleRollout',
        title: null,
        disabled: false,
        segments: [],
        constraints: [],
        variants: [],
        parameters: { rollout: '50', stickiness: 'default' },
      },
    ],
  });

export type DefaultStrategy = z.infer<typeof defaultStrategySchema>;

export const projectEnvironmentSchema = environmentSchema.extend({
  /** The flags of the project that are on in the environment. */
  projectEnabledToggleCount: z.number().int(),
  /** Absent while the project has none of its own. */
  defaultStrategy: defaultStrategySchema.optional(),
  visible: z.boolean(),
});

export type ProjectEnvironment = z.infer<typeof projectEnvironmentSchema>;

export const listProjectEnvironments = request({
  name: 'flags.project-environment.list',
  writes: false,
  summary: 'All environments in their order, and what a project has in them',
  input: z.object({ projectId: z.string() }),
  output: z.object({ environments: z.array(projectEnvironmentSchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
  callers: ['gateway', 'signals'],
});

export const addProjectEnvironment = request({
  name: 'flags.project-environment.add',
  writes: true,
  summary: 'Adds an environment to a project; the flags of the project are off in it',
  input: z
    .strictObject({
      projectId: z.string(),
      environment: z.string(),
      /** There are no change requests. To accept true would promise a protection that does not exist. */
      changeRequestsEnabled: z.literal(false, 'should be false: there are no change requests').optional(),
      defaultStrategy: newStrategySchema.optional(),
    })
    .meta({ examples: [{ projectId: 'default', environment: 'staging' }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'limit-exceeded', 'name-exists'],
  permission: 'UPDATE_PROJECT',
});

export const removeProjectEnvironment = request({
  name: 'flags.project-environment.remove',
  writes: true,
  summary: 'Removes an environment from a project, and hides the strategies and variants that its flags have there',
  input: z.object({ projectId: z.string(), environment: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_PROJECT',
});

export const configureChangeRequests = request({
  name: 'flags.project-environment.configure-change-requests',
  writes: true,
  summary: 'Accepts that a project has no change requests in an environment, and nothing else: there are none',
  input: z
    .object({
      projectId: z.string(),
      environment: z.string(),
      changeRequestsEnabled: z.boolean(),
      /** Has no effect while there are no change requests. */
      requiredApprovals: z.int32().min(0).nullable().optional(),
    })
    .meta({ examples: [{ projectId: 'default', environment: 'production', changeRequestsEnabled: false }] }),
  output: z.object({}),
  errors: ['not-found', 'conflict'],
  permission: 'PROJECT_CHANGE_REQUEST_WRITE',
});

export const setDefaultStrategy = request({
  name: 'flags.project-environment.set-default-strategy',
  writes: true,
  summary:
    'Sets the strategy that flags of a project get when they are switched on in an environment without an enabled one; the environment * is every environment of the project',
  input: z.object({ projectId: z.string(), environment: z.string(), strategy: newStrategySchema }),
  output: defaultStrategySchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: ['PROJECT_DEFAULT_STRATEGY_WRITE', 'UPDATE_PROJECT'],
});
