import { z } from 'zod';
import { request } from '../contract.ts';
import { eventSchema } from '../events/event.ts';

const parameters = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));

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
  projects: z.array(z.string()).optional(),
  environments: z.array(z.string()).optional(),
};

export const providerParameterSchema = z.object({
  name: z.string(),
  displayName: z.string(),
  type: z.string(),
  description: z.string().optional(),
  placeholder: z.string().optional(),
  required: z.boolean(),
  sensitive: z.boolean(),
});

/** What an integration can be made of, as data: drives validation, masking and later a form. */
export const providerSchema = z
  .object({
    name: z.string(),
    displayName: z.string(),
    documentationUrl: z.string(),
    description: z.string(),
    parameters: z.array(providerParameterSchema),
    events: z.array(z.string()),
  })
  .meta({
    examples: [
      {
        name: 'webhook',
        displayName: 'Webhook',
        documentationUrl: 'https://example.com/docs/webhook',
        description: 'Sends events to an address.',
        parameters: [{ name: 'url', displayName: 'Webhook URL', type: 'url', required: true, sensitive: true }],
        events: ['feature-created', 'feature-environment-enabled'],
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
  summary: 'Every integration, and with the first of them the providers with their definitions',
  input: z.object({}),
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
    'Changes an integration; a masked parameter sent back keeps its value. Enabling it again begins at the events recorded from then on',
  input: z.object({ id: z.number().int(), provider: providerName, ...configuration }),
  output: integrationSchema,
  errors: ['not-found', 'bad-data'],
  permission: 'UPDATE_ADDON',
});

export const deleteIntegration = request({
  name: 'integrations.integration.delete',
  summary: 'Deletes an integration with its deliveries and outcomes',
  input: z.object({ id: z.number().int() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'DELETE_ADDON',
});

export const integrationEventStates = ['success', 'failed', 'successWithErrors'] as const;

/** interface.md, Integration event. */
export const integrationEventSchema = z.object({
  id: z
    .string()
    .regex(/^[0-9]+$/)
    .meta({ examples: ['1204'] }),
  integrationId: z
    .number()
    .int()
    .meta({ examples: [3] }),
  createdAt: z.iso.datetime(),
  state: z.enum(integrationEventStates),
  stateDetails: z.string().meta({ examples: ['The webhook was answered with 200.'] }),
  event: eventSchema,
  details: z.record(z.string(), z.unknown()).meta({ examples: [{ url: 'https://hooks.example.com' }] }),
});

export type IntegrationEvent = z.infer<typeof integrationEventSchema>;

export const listIntegrationEvents = request({
  name: 'integrations.integration-event.list',
  summary: 'The outcomes of an integration, newest first',
  input: z.object({
    integrationId: z.number().int(),
    limit: z.number().int().min(1).max(1000),
    offset: z.number().int().min(0),
  }),
  output: z.object({ integrationEvents: z.array(integrationEventSchema) }),
  errors: ['not-found'],
  permission: 'ADMIN',
  replies: 'many',
});
