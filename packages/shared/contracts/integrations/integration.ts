import { z } from 'zod';
import { request } from '../contract.ts';
import { eventTypeSchema } from '../events/event-types.ts';

const parameters = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], 'should be a string, a number or a boolean').transform(String),
);

/** An integration configuration (the public API calls it an addon); sensitive parameters are masked in every answer. */
export const integrationSchema = z
  .object({
    id: z.number().int(),
    provider: z.string(),
    description: z.string().nullable(),
    enabled: z.boolean(),
    parameters: z.record(z.string(), z.string()),
    events: z.array(z.string()),
    projects: z.array(z.string()),
    environments: z.array(z.string()),
  })
  .meta({
    examples: [
      {
        id: 3,
        provider: 'webhook',
        description: 'Tells the release channel.',
        enabled: true,
        parameters: { url: '*****' },
        events: ['feature-environment-enabled', 'feature-environment-disabled'],
        projects: ['default'],
        environments: ['production'],
      },
    ],
  });

export type Integration = z.infer<typeof integrationSchema>;

const providerName = z.string().meta({ examples: ['webhook'] });

const configuration = {
  description: z
    .string()
    .nullish()
    .meta({ examples: ['Tells the release channel.'] }),
  enabled: z.boolean(),
  parameters: parameters.meta({ examples: [{ url: 'https://hooks.example.com/flags' }] }),
  events: z.array(z.string()).meta({ examples: [['feature-environment-enabled', 'feature-environment-disabled']] }),
  projects: z.array(z.string()).nullish(),
  environments: z.array(z.string()).nullish(),
};

export const providerParameterSchema = z.object({
  name: z.string(),
  displayName: z.string(),
  type: z.string(),
  description: z.string().optional(),
  placeholder: z.string().optional(),
  required: z.boolean(),
  sensitive: z.boolean(),
  /** It says where messages are sent: another one is sent no secret that was given for the one before. */
  destination: z.boolean().optional(),
});

/** What an integration can be made of, as data: drives validation, masking and later a form. */
export const providerSchema = z
  .object({
    name: z.string(),
    displayName: z.string(),
    documentationUrl: z.string(),
    description: z.string(),
    /** Why it should be used no more; with it no new integration is made, those that are there go on. */
    deprecated: z.string().optional(),
    parameters: z.array(providerParameterSchema),
    /** What it offers to be told of; an integration may name other types too. */
    events: z.array(eventTypeSchema),
    /** The types of the tags on flags that it reads. */
    tagTypes: z.array(z.object({ name: z.string(), description: z.string(), icon: z.string() })).optional(),
    /** Where the vendor's part of it is installed. */
    installation: z
      .object({ url: z.string(), title: z.string().optional(), helpText: z.string().optional() })
      .optional(),
  })
  .meta({
    examples: [
      {
        name: 'teamsworkflow',
        displayName: 'Microsoft Teams - Workflow',
        documentationUrl: 'https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/',
        description: 'Posts cards to Microsoft Teams by a workflow.',
        parameters: [
          { name: 'url', displayName: 'Workflow URL', type: 'url', required: true, sensitive: true, destination: true },
        ],
        events: ['feature-created', 'feature-archived'],
      },
    ],
  });

export type Provider = z.infer<typeof providerSchema>;

export const createIntegration = request({
  name: 'integrations.integration.create',
  summary: 'Makes an integration; it gets the events recorded from then on',
  input: z.object({ provider: providerName, ...configuration }),
  output: integrationSchema,
  errors: ['bad-data'],
  permission: 'CREATE_ADDON',
});

export const listIntegrations = request({
  name: 'integrations.integration.list',
  summary:
    'Every integration, or those that are told of a project, and with the first of them the providers with their definitions',
  input: z.object({ project: z.string().optional() }),
  output: z.object({ addons: z.array(integrationSchema), providers: z.array(providerSchema) }),
  permission: 'authenticated',
  replies: 'many',
});

export const getIntegration = request({
  name: 'integrations.integration.get',
  summary: 'One integration',
  input: z.object({ id: z.number().int() }),
  output: integrationSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const updateIntegration = request({
  name: 'integrations.integration.update',
  summary:
    'Changes an integration; a masked parameter sent back keeps its value, while the destination stays. Enabling it again begins at the events recorded from then on',
  input: z.object({ id: z.number().int(), provider: providerName, ...configuration }),
  output: integrationSchema,
  errors: ['not-found', 'bad-data'],
  permission: 'UPDATE_ADDON',
});

export const deleteIntegration = request({
  name: 'integrations.integration.delete',
  summary: 'Deletes an integration; its deliveries and outcomes are swept later',
  input: z.object({ id: z.number().int() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'DELETE_ADDON',
});
