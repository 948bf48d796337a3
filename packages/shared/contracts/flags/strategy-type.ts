import { z } from 'zod';
import { request } from '../contract.ts';
import { recordKey } from './record-key.ts';

const shortText = z.string().max(255, 'should have at most 255 characters');
const longText = z.string().max(10_000, 'should have at most 10000 characters');

export const strategyTypeParameterSchema = z.object({
  name: z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters'),
  type: z.enum(['string', 'percentage', 'list', 'number', 'boolean']),
  description: z.string().max(1000, 'should have at most 1000 characters').optional(),
  required: z.boolean().optional(),
});

export type StrategyTypeParameter = z.infer<typeof strategyTypeParameterSchema>;

const newParameterSchema = strategyTypeParameterSchema.extend({
  name: strategyTypeParameterSchema.shape.name.refine(...recordKey),
});

const parametersSchema = z
  .array(newParameterSchema)
  .max(50, 'should have at most 50 items')
  .refine((parameters) => new Set(parameters.map(({ name }) => name)).size === parameters.length, {
    error: 'should have each name once',
  })
  .meta({ examples: [[{ name: 'countries', type: 'list', description: 'Country codes', required: true }]] });

/** A type of strategies. `editable` is false for the built-in ones. */
export const strategyTypeSchema = z
  .object({
    name: z.string(),
    displayName: z.string().nullable(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    editable: z.boolean(),
    deprecated: z.boolean(),
    parameters: z.array(strategyTypeParameterSchema).max(50),
  })
  .meta({
    id: 'strategySchema',
    examples: [
      {
        name: 'country',
        displayName: null,
        title: 'By country',
        description: 'On in some countries.',
        editable: true,
        deprecated: false,
        parameters: [{ name: 'countries', type: 'list', description: 'Country codes', required: true }],
      },
    ],
  });

export type StrategyType = z.infer<typeof strategyTypeSchema>;

export const listStrategyTypes = request({
  name: 'flags.strategy-type.list',
  writes: false,
  summary: 'The types of strategies: the built-in ones, then the custom ones by name',
  input: z.object({}),
  output: z.object({ strategies: z.array(strategyTypeSchema) }),
  permission: 'authenticated',
});

export const getStrategyType = request({
  name: 'flags.strategy-type.get',
  writes: false,
  summary: 'One type of strategies',
  input: z.object({ name: z.string() }),
  output: strategyTypeSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const createStrategyType = request({
  name: 'flags.strategy-type.create',
  writes: true,
  summary: 'Makes a custom type of strategies; SDKs need an implementation of it',
  input: z.object({
    name: z
      .string()
      .min(1, 'should not be empty')
      .max(100, 'should have at most 100 characters')
      .regex(/^[a-zA-Z0-9_.~-]+$/, 'should be URL friendly: letters, digits and -_.~')
      .refine((name) => name !== '.' && name !== '..', 'should be URL friendly: . and .. are path steps')
      .meta({ examples: ['country'] }),
    title: shortText.nullable().default(null),
    description: longText.nullable().default(null),
    parameters: parametersSchema,
  }),
  output: strategyTypeSchema,
  errors: ['name-exists', 'limit-exceeded'],
  permission: 'CREATE_STRATEGY',
});

export const updateStrategyType = request({
  name: 'flags.strategy-type.update',
  writes: true,
  summary: 'Changes a custom type of strategies; absent properties stay as they are',
  input: z.object({
    name: z.string(),
    title: shortText.nullable().optional(),
    description: longText.nullable().optional(),
    parameters: parametersSchema,
  }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_STRATEGY',
});

export const deleteStrategyType = request({
  name: 'flags.strategy-type.delete',
  writes: true,
  summary: 'Deletes a custom type of strategies that no strategy has',
  input: z.object({ name: z.string() }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'conflict'],
  permission: 'DELETE_STRATEGY',
});

export const setStrategyTypeDeprecated = request({
  name: 'flags.strategy-type.set-deprecated',
  writes: true,
  summary: 'Marks a custom type of strategies as deprecated or not; strategies may still have it',
  input: z.object({ strategyName: z.string(), deprecated: z.boolean() }),
  output: z.object({}),
  errors: ['not-found', 'bad-data'],
  permission: 'UPDATE_STRATEGY',
});
