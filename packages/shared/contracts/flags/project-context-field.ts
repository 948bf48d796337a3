import { z } from 'zod';
import { request } from '../contract.ts';
import {
  contextFieldExample,
  contextFieldNameSchema,
  contextFieldSchema,
  contextFieldSettings,
  legalValueSchema,
} from './context-field.ts';

// The context fields that one project may use. The root permission suffices, or that of the project.

const ofProject = { projectId: z.string(), name: z.string() };

export const listContextFieldsOfProject = request({
  name: 'flags.context-field.list-of-project',
  writes: false,
  summary: 'The context fields of a project; with `include` root, also those of all projects',
  input: z.object({ projectId: z.string(), include: z.string().max(100).optional() }),
  output: z.object({ contextFields: z.array(contextFieldSchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const getContextFieldOfProject = request({
  name: 'flags.context-field.get-of-project',
  writes: false,
  summary: 'One context field of a project, or of all projects',
  input: z.object(ofProject),
  output: contextFieldSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const createContextFieldOfProject = request({
  name: 'flags.context-field.create-of-project',
  writes: true,
  summary: 'Makes a context field of a project',
  input: z
    .object({ projectId: z.string(), name: contextFieldNameSchema, ...contextFieldSettings })
    .meta({ examples: [{ projectId: 'default', name: 'plan', ...contextFieldExample }] }),
  output: contextFieldSchema,
  errors: ['not-found', 'name-exists', 'bad-data', 'limit-exceeded'],
  permission: ['CREATE_CONTEXT_FIELD', 'UPDATE_PROJECT_CONTEXT'],
});

export const updateContextFieldOfProject = request({
  name: 'flags.context-field.update-of-project',
  writes: true,
  summary: 'Replaces the settings of a context field of the project; what is not sent has its default',
  input: z
    .object({ ...ofProject, ...contextFieldSettings })
    .meta({ examples: [{ projectId: 'default', name: 'plan', ...contextFieldExample }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: ['UPDATE_CONTEXT_FIELD', 'UPDATE_PROJECT_CONTEXT'],
});

export const deleteContextFieldOfProject = request({
  name: 'flags.context-field.delete-of-project',
  writes: true,
  summary: 'Deletes a context field of the project that no strategy, segment or variant uses',
  input: z.object(ofProject),
  output: z.object({}),
  errors: ['not-found', 'conflict'],
  permission: ['DELETE_CONTEXT_FIELD', 'UPDATE_PROJECT_CONTEXT'],
});

export const setLegalValueOfProject = request({
  name: 'flags.context-field.set-legal-value-of-project',
  writes: true,
  summary: 'Adds a legal value to a context field of the project, or changes its description',
  input: z
    .strictObject({ ...ofProject, ...legalValueSchema.shape })
    .meta({ examples: [{ projectId: 'default', name: 'plan', value: 'gold', description: 'The largest plan.' }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: ['UPDATE_CONTEXT_FIELD', 'UPDATE_PROJECT_CONTEXT'],
});

export const deleteLegalValueOfProject = request({
  name: 'flags.context-field.delete-legal-value-of-project',
  writes: true,
  summary: 'Removes a legal value from a context field of the project',
  input: z.object({ ...ofProject, value: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: ['UPDATE_CONTEXT_FIELD', 'UPDATE_PROJECT_CONTEXT'],
});

export const validateContextFieldOfProject = request({
  name: 'flags.context-field.validate-of-project',
  writes: false,
  summary: 'Whether a context field of the project may have this name: a refusal says why not',
  input: z
    .object({ projectId: z.string(), name: contextFieldNameSchema })
    .meta({ examples: [{ projectId: 'default', name: 'plan' }] }),
  output: z.object({}),
  errors: ['not-found', 'name-exists'],
  permission: ['CREATE_CONTEXT_FIELD', 'UPDATE_CONTEXT_FIELD', 'UPDATE_PROJECT_CONTEXT'],
});
