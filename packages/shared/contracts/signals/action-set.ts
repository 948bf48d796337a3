import { z } from 'zod';
import { request } from '../contract.ts';
import { constraintSchema } from '../flags/constraint.ts';
import { stepActionNames } from '../flags/step.ts';

const timestamp = z.iso.datetime();
const id = z.number().int().min(1);

/** A condition on one parameter of the payload, which the key of the filter names: `labels.severity`, `items[0]`. */
export const filterSchema = constraintSchema
  .omit({ contextName: true })
  .extend({ values: constraintSchema.shape.values.unwrap().max(1000, 'should have at most 1000 items').optional() })
  .meta({ examples: [{ operator: 'IN', values: ['critical'] }] });

export const matchSchema = z.object({
  source: z.literal('signal-endpoint'),
  /** The signal endpoint. */
  sourceId: id.meta({ examples: [2] }),
  /** The filters by parameter. All must hold; without any, every signal of the endpoint matches. */
  payload: z
    .record(z.string().min(1, 'should not be empty').max(500, 'should have at most 500 characters'), filterSchema)
    .meta({ examples: [{ 'labels.severity': { operator: 'IN', values: ['critical'] } }] }),
});

/**
 * Parameters of an action. A value may hold a path into the payload, such as `{{payload.labels.flag}}`, which is
 * replaced by the scalar found there.
 */
export const executionParamsSchema = z
  .record(z.string().max(100), z.union([z.string().max(1000), z.number(), z.boolean()]))
  .meta({ examples: [{ project: 'default', environment: 'production', featureName: 'checkout' }] });

export const newActionSchema = z.strictObject({
  action: z.enum(stepActionNames),
  sortOrder: z
    .number()
    .int()
    .min(1)
    .meta({ examples: [1] }),
  executionParams: executionParamsSchema.default({}),
});

/** The settings of the limits allow no more actions or filters per set. */
export const maxPerSet = 100;

/** Creates a set, and replaces it. */
export const newActionSetSchema = z.strictObject({
  name: z
    .string()
    .max(255, 'should have at most 255 characters')
    .refine((text) => text.trim() !== '', 'should not be empty')
    .meta({ examples: ['Switch off at an alert'] }),
  description: z.string().max(1000, 'should have at most 1000 characters').nullable().default(null),
  /** A service account. */
  actorId: id.meta({ examples: [12] }),
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

export const actionSchema = newActionSchema.extend({ id, createdAt: timestamp, createdByUserId: z.number().int() });

export const actionSetSchema = newActionSetSchema.extend({
  id,
  project: z.string().meta({ examples: ['default'] }),
  createdAt: timestamp,
  createdByUserId: z.number().int(),
  actions: z.array(actionSchema).max(maxPerSet),
});

export type ActionSet = z.infer<typeof actionSetSchema>;

const ofProject = { projectId: z.string() };
const ofSet = { ...ofProject, actionSetId: z.number().int() };

export const createActionSet = request({
  name: 'signals.action-set.create',
  summary: 'Makes an action set of a project',
  input: z.object({ ...ofProject, actionSet: newActionSetSchema }),
  output: actionSetSchema,
  errors: ['not-found', 'bad-data', 'name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const updateActionSet = request({
  name: 'signals.action-set.update',
  summary: 'Replaces an action set; runs that have begun are not affected',
  input: z.object({ ...ofSet, actionSet: newActionSetSchema }),
  output: actionSetSchema,
  errors: ['not-found', 'bad-data', 'name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const deleteActionSet = request({
  name: 'signals.action-set.delete',
  summary: 'Deletes an action set; its unfinished runs fail before their next step',
  input: z.object(ofSet),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const switchActionSet = request({
  name: 'signals.action-set.switch',
  summary: 'Switches an action set on or off; a set matches the signals created since it was switched on',
  input: z.object({ ...ofSet, enabled: z.boolean() }),
  output: actionSetSchema,
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const listActionSets = request({
  name: 'signals.action-set.list',
  summary: 'The action sets of a project',
  input: z.object(ofProject),
  output: z.object({ actions: z.array(actionSetSchema) }),
  errors: ['not-found'],
  permission: 'ADMIN',
  replies: 'many',
});

/** What an action takes and needs, for a form. */
export const actionDefinitionSchema = z.object({
  label: z.string(),
  description: z.string(),
  category: z.string(),
  permissions: z.array(z.string()),
  parameters: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      type: z.enum(['select', 'hidden', 'text']),
      optional: z.boolean(),
      options: z.array(z.string()).optional(),
    }),
  ),
});

/** What a payload would do, without doing it. */
export const testActionSet = request({
  name: 'signals.action-set.test',
  summary: 'Whether a payload matches a set, by filter, and the steps that it would run',
  input: z.object({ ...ofProject, actionSet: newActionSetSchema, payload: z.unknown() }),
  output: z.object({
    matches: z.boolean(),
    filters: z
      .array(z.object({ parameter: z.string(), value: z.string().nullable(), matches: z.boolean() }))
      .max(maxPerSet),
    steps: z
      .array(
        z.object({
          action: z.enum(stepActionNames),
          sortOrder: z.number().int(),
          parameters: executionParamsSchema,
          /** Why the step would fail: a path without a scalar, or a parameter that is refused. */
          problem: z.string().nullable(),
        }),
      )
      .max(maxPerSet),
  }),
  errors: ['not-found', 'bad-data'],
  permission: 'ADMIN',
});
