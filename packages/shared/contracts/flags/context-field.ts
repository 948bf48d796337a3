import { z } from 'zod';
import { request } from '../contract.ts';
import { recordKey } from './record-key.ts';

const description = z.string().max(10_000, 'should have at most 10000 characters');

export const legalValueSchema = z
  .object({
    value: z.string().min(1, 'should not be empty').max(255, 'should have at most 255 characters'),
    description: description.optional(),
  })
  .meta({ id: 'legalValueSchema', examples: [{ value: 'gold', description: 'The largest plan.' }] });

/** A legal value as it is sent. As in the public product, an unknown property is refused. */
const newLegalValueSchema = z.strictObject(legalValueSchema.shape);

export type LegalValue = z.infer<typeof legalValueSchema>;

/** More than a form can show. The size of all values is limited too. */
export const maxLegalValues = 5_000;

/** Names of context fields are part of URLs. */
export const contextFieldNameSchema = z
  .string()
  .min(1, 'should not be empty')
  .max(100, 'should have at most 100 characters')
  .regex(/^[a-zA-Z0-9_.~-]+$/, 'should be URL friendly: letters, digits and -_.~')
  .refine((name) => name !== '.' && name !== '..', 'should be URL friendly: . and .. are path steps')
  .refine(...recordKey);

export const contextFieldSchema = z
  .object({
    name: z.string(),
    description: z.string().nullable(),
    stickiness: z.boolean(),
    sortOrder: z.number().int(),
    legalValues: z.array(legalValueSchema).max(maxLegalValues),
    createdAt: z.iso.datetime(),
    /** The project that alone may use the field; absent for all. */
    project: z.string().optional(),
    /** The flags that are not archived whose strategies, segments or variants name the field, and their projects. */
    usedInFeatures: z.number().int(),
    usedInProjects: z.number().int(),
  })
  .meta({
    id: 'contextFieldSchema',
    examples: [
      {
        ...{ name: 'plan', description: 'The plan of the customer.', stickiness: false, sortOrder: 10 },
        ...{ legalValues: [{ value: 'gold' }, { value: 'silver' }], createdAt: '2026-01-31T12:00:00.000Z' },
        ...{ usedInFeatures: 3, usedInProjects: 1 },
      },
    ],
  });

export type ContextField = z.infer<typeof contextFieldSchema>;

export const contextFieldExample = {
  description: 'The plan of the customer.',
  legalValues: [{ value: 'gold' }, { value: 'silver' }],
};

/** A bounded list of legal values, empty unless given. */
export function legalValuesOf<Value extends z.ZodType>(value: Value) {
  return z.array(value).max(maxLegalValues, `should have at most ${maxLegalValues} items`).default([]);
}

export const contextFieldSettings = {
  description: description.nullable().default(null),
  stickiness: z.boolean().default(false),
  // The range of Postgres's integer.
  sortOrder: z.number().int().min(-2_147_483_648).max(2_147_483_647).default(0),
  legalValues: legalValuesOf(newLegalValueSchema),
};

export const listContextFields = request({
  name: 'flags.context-field.list',
  writes: false,
  summary: 'The context fields of all projects; with `include`, also those of single projects',
  input: z.object({ include: z.string().max(100).optional() }),
  output: z.object({ contextFields: z.array(contextFieldSchema) }),
  permission: 'authenticated',
});

export const getContextField = request({
  name: 'flags.context-field.get',
  writes: false,
  summary: 'One context field',
  input: z.object({ name: z.string() }),
  output: contextFieldSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const createContextField = request({
  name: 'flags.context-field.create',
  writes: true,
  summary: 'Makes a context field of all projects, or of the project in the body',
  input: z
    .object({ name: contextFieldNameSchema, ...contextFieldSettings, project: z.string().max(100).nullish() })
    .meta({ examples: [{ name: 'plan', ...contextFieldExample }] }),
  output: contextFieldSchema,
  errors: ['name-exists', 'bad-data', 'limit-exceeded'],
  permission: 'CREATE_CONTEXT_FIELD',
});

export const updateContextField = request({
  name: 'flags.context-field.update',
  writes: true,
  summary: 'Replaces the settings of a context field; what is not sent has its default',
  input: z
    .object({ name: z.string(), ...contextFieldSettings })
    .meta({ examples: [{ name: 'plan', ...contextFieldExample }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_CONTEXT_FIELD',
});

export const deleteContextField = request({
  name: 'flags.context-field.delete',
  writes: true,
  summary: 'Deletes a context field that no strategy, segment or variant uses',
  input: z.object({ name: z.string() }),
  output: z.object({}),
  errors: ['not-found', 'conflict'],
  permission: 'DELETE_CONTEXT_FIELD',
});

export const setLegalValue = request({
  name: 'flags.context-field.set-legal-value',
  writes: true,
  summary: 'Adds a legal value to a context field, or changes its description',
  input: z
    .strictObject({ name: z.string(), ...legalValueSchema.shape })
    .meta({ examples: [{ name: 'plan', value: 'gold', description: 'The largest plan.' }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_CONTEXT_FIELD',
});

export const deleteLegalValue = request({
  name: 'flags.context-field.delete-legal-value',
  writes: true,
  summary: 'Removes a legal value from a context field',
  input: z.object({ name: z.string(), value: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_CONTEXT_FIELD',
});

export const validateContextField = request({
  name: 'flags.context-field.validate',
  writes: false,
  summary: 'Whether a context field may have this name: a refusal says why not',
  input: z.object({ name: contextFieldNameSchema }).meta({ examples: [{ name: 'plan' }] }),
  output: z.object({}),
  errors: ['name-exists'],
  permission: ['CREATE_CONTEXT_FIELD', 'UPDATE_CONTEXT_FIELD'],
});
