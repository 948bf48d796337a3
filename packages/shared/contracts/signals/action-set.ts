import { z } from 'zod';
import { request } from '../contract.ts';
import { constraintSchema } from '../flags/constraint.ts';
import { type StepActionName, stepActionNames } from '../flags/step.ts';
import { wholeRecord } from '../whole-record.ts';

const timestamp = z.iso.datetime();
const id = z
  .number()
  .int()
  .min(1)
  .meta({ examples: [7] });
const userId = z
  .number()
  .int()
  .meta({ examples: [12] });
/** An id that a caller sends. Larger ones do not fit the column. */
const sentId = z.int32().min(1);

/** The settings of the limits allow no more values per filter. */
export const maxFilterValues = 1000;

/** A condition on one parameter of the payload, which the key of the filter names: `labels.severity`, `items[0]`. */
export const filterSchema = constraintSchema
  .omit({ contextName: true })
  .extend({
    values: constraintSchema.shape.values
      .unwrap()
      .max(maxFilterValues, `should have at most ${maxFilterValues} items`)
      .optional(),
  })
  .meta({ examples: [{ operator: 'IN', values: ['critical'] }] });

export const matchSchema = z.strictObject({
  source: z.literal('signal-endpoint'),
  /** The id of the signal endpoint whose signals the set matches. */
  sourceId: sentId.meta({ examples: [2] }),
  /** The filters by parameter. All must hold; without any, every signal of the endpoint matches. */
  payload: wholeRecord(
    z.string().min(1, 'should not be empty').max(500, 'should have at most 500 characters'),
    filterSchema,
  ).meta({ examples: [{ 'labels.severity': { operator: 'IN', values: ['critical'] } }] }),
});

/**
 * Parameters of an action. A value may hold a path into the payload, such as `{{payload.labels.flag}}`, which is
 * replaced by the scalar found there.
 */
export const executionParamsSchema = wholeRecord(
  z.string().max(100, 'should have at most 100 characters'),
  z.union([z.string().max(1000, 'should have at most 1000 characters'), z.number(), z.boolean()]),
).meta({ examples: [{ project: 'default', environment: 'production', featureName: 'checkout' }] });

export const newActionSchema = z.strictObject({
  action: z.enum(stepActionNames),
  /** The actions of a set run in this order. */
  sortOrder: z
    .int32()
    .min(1)
    .meta({ examples: [1] }),
  executionParams: executionParamsSchema.default({}),
});

/** The settings of the limits allow no more actions or filters per set. */
export const maxPerSet = 100;

/** The body of the request that creates a set, and of the one that replaces it. */
export const newActionSetSchema = z.strictObject({
  name: z
    .string()
    .max(255, 'should have at most 255 characters')
    .refine((text) => text.trim() !== '', 'should not be empty')
    .meta({ examples: ['Switch off at an alert'] }),
  description: z.string().max(1000, 'should have at most 1000 characters').nullable().default(null),
  /** The id of the service account that does the actions. */
  actorId: sentId.meta({ examples: [12] }),
  enabled: z.boolean().default(true),
  actions: z
    .array(newActionSchema)
    .min(1, 'should not be empty')
    .max(maxPerSet, `should have at most ${maxPerSet} items`),
  match: matchSchema,
  /** For so many seconds after a signal that matched, further ones are ignored. Measured by their createdAt. */
  cooldownSeconds: z.number().int().min(0).max(86_400, 'should be at most 86400').default(0),
});

export type NewActionSet = z.infer<typeof newActionSetSchema>;

export const actionSchema = newActionSchema
  .extend({ id, createdAt: timestamp, createdByUserId: userId })
  .meta({ id: 'actionSchema' });

export const actionSetSchema = newActionSetSchema
  .extend({
    id,
    project: z.string().meta({ examples: ['default'] }),
    createdAt: timestamp,
    createdByUserId: userId,
    actions: z.array(actionSchema).max(maxPerSet),
  })
  .meta({ id: 'actionsSchema' });

export type ActionSet = z.infer<typeof actionSetSchema>;

const newActionSetExample = {
  name: 'Switch off at an alert',
  actorId: 12,
  actions: [
    {
      action: 'TOGGLE_FEATURE_OFF',
      sortOrder: 1,
      executionParams: { project: 'default', environment: 'production', featureName: 'checkout' },
    },
  ],
  match: {
    source: 'signal-endpoint',
    sourceId: 2,
    payload: { 'labels.severity': { operator: 'IN', values: ['critical'] } },
  },
};

const ofProject = { projectId: z.string() };
const ofSet = { ...ofProject, actionSetId: z.number().int() };

export const createActionSet = request({
  name: 'signals.action-set.create',
  writes: true,
  summary: 'Makes an action set of a project',
  input: z.object({ ...ofProject, actionSet: newActionSetSchema }),
  output: actionSetSchema,
  errors: ['not-found', 'bad-data', 'name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const updateActionSet = request({
  name: 'signals.action-set.update',
  writes: true,
  summary: 'Replaces an action set; runs that have begun are not affected',
  input: z.object({ ...ofSet, actionSet: newActionSetSchema }),
  output: actionSetSchema,
  errors: ['not-found', 'bad-data', 'name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const deleteActionSet = request({
  name: 'signals.action-set.delete',
  writes: true,
  summary: 'Deletes an action set; its unfinished runs fail before their next step',
  input: z.object(ofSet),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const switchActionSet = request({
  name: 'signals.action-set.switch',
  writes: true,
  summary: 'Switches an action set on or off; a set matches the signals created since it was switched on',
  input: z.object({ ...ofSet, enabled: z.boolean() }),
  output: actionSetSchema,
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const listActionSets = request({
  name: 'signals.action-set.list',
  writes: false,
  summary: 'The action sets of a project',
  input: z.object(ofProject),
  output: z.object({ actions: z.array(actionSetSchema) }),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const actionDefinitionSchema = z
  .object({
    label: z.string(),
    description: z.string(),
    category: z.string(),
    /** The permissions that the actor needs for the action. */
    permissions: z.array(z.string()).max(10),
    parameters: z
      .array(
        z.object({
          name: z.string(),
          label: z.string(),
          /** The types of parameters, of which the public product has no others. */
          type: z.enum(['select', 'hidden']),
          optional: z.boolean(),
          options: z.array(z.string()).optional(),
        }),
      )
      .max(10),
  })
  .meta({
    id: 'actionDefinitionSchema',
    examples: [
      {
        label: 'Switch a flag off',
        description: 'Switches a flag off in an environment.',
        category: 'Flags',
        permissions: ['UPDATE_FEATURE_ENVIRONMENT'],
        parameters: [{ name: 'project', label: 'Project', type: 'hidden', optional: false, options: ['default'] }],
      },
    ],
  });

export type ActionDefinition = z.infer<typeof actionDefinitionSchema>;

const definitions = Object.fromEntries(stepActionNames.map((name) => [name, actionDefinitionSchema])) as Record<
  StepActionName,
  typeof actionDefinitionSchema
>;

export const describeActions = request({
  name: 'signals.action-set.describe',
  writes: false,
  summary: 'The actions that a set of a project can have, with their parameters and the permissions that they need',
  input: z.object(ofProject),
  output: z.object(definitions),
  errors: ['not-found'],
  permission: 'ADMIN',
});

/** What a payload or a stored signal would do, without doing it. */
export const testActionSet = request({
  name: 'signals.action-set.test',
  writes: false,
  summary: 'Whether a payload matches a set, by filter, and the steps that it would run; nothing is changed',
  input: z
    .object({
      ...ofProject,
      actionSet: newActionSetSchema,
      /** The JSON text of the payload, as of a signal. Absent for a signal without a body. */
      payloadText: z.string().optional(),
      /** The id of a stored signal, whose payload is tested instead. */
      signalId: z.number().int().min(1).optional(),
    })
    .meta({
      examples: [
        { projectId: 'default', actionSet: newActionSetExample, payloadText: '{"labels":{"severity":"critical"}}' },
      ],
    }),
  output: z
    .object({
      matches: z.boolean(),
      filters: z
        .array(
          z.object({
            parameter: z.string(),
            /** What the filter compares: the first characters of the scalar, or null without one. */
            value: z.string().nullable(),
            matches: z.boolean(),
          }),
        )
        .max(maxPerSet),
      /** In their order, also when the payload does not match. */
      steps: z
        .array(
          z.object({
            action: z.enum(stepActionNames),
            sortOrder: z.number().int(),
            /** After the replacement of payload paths; long values are truncated. */
            parameters: z.record(z.string(), z.string()),
            /** Why the step would fail: a path without a scalar, or a parameter that is refused. */
            problem: z.string().nullable(),
          }),
        )
        .max(maxPerSet),
    })
    .meta({
      examples: [
        {
          matches: true,
          filters: [{ parameter: 'labels.severity', value: 'critical', matches: true }],
          steps: [
            {
              action: 'TOGGLE_FEATURE_OFF',
              sortOrder: 1,
              parameters: { project: 'default', environment: 'production', featureName: 'checkout' },
              problem: null,
            },
          ],
        },
      ],
    }),
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'ADMIN',
});
