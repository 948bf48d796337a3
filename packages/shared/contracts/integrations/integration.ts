import { z } from 'zod';
import { request } from '../contract.ts';
import { eventAliases, eventTypeSchema } from '../events/event-types.ts';

const parameters = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], 'should be a string, a number or a boolean').transform(String),
);

/** An integration, which the public API calls an addon. Sensitive parameters are masked in every answer. */
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
    /**
     * False after an actor without READ_LOGS has changed the parameters, until an actor with it saves the integration
     * without masks.
     * An integration with false is sent no event of people.
     */
    maySendEventsOfPeople: z.boolean(),
    /** Null for an integration that an earlier version made, and absent from the answer of an earlier version. */
    createdAt: z.iso.datetime().nullish(),
  })
  .meta({
    id: 'addonSchema',
    examples: [
      {
        id: 3,
        provider: 'webhook',
        description: 'Notifies the release channel.',
        enabled: true,
        parameters: { url: '*****' },
        events: ['feature-environment-enabled', 'feature-environment-disabled'],
        projects: ['default'],
        environments: ['production'],
        maySendEventsOfPeople: true,
        createdAt: '2026-01-31T09:00:00.000Z',
      },
    ],
  });

export type Integration = z.infer<typeof integrationSchema>;

const providerName = z.string().meta({ examples: ['webhook'] });

/** Flags is asked which of them exist, a thousand at once. */
const places = z.array(z.string()).max(1000, 'should have at most 1000 entries');

const aliases = [...eventAliases].map(([name, sent]) => `${name} stands for ${sent}`);
const eventsText = `Types of events, beginnings such as feature-*, or * for all. Nothing emits an alias: ${aliases.join(', ')}.`;

const configuration = {
  description: z
    .string()
    .nullish()
    .meta({ examples: ['Notifies the release channel.'] }),
  enabled: z.boolean(),
  parameters: parameters.meta({ examples: [{ url: 'https://hooks.example.com/flags' }] }),
  // Some hundred types exist. Each is compared with all of them.
  events: z
    .array(z.string())
    .max(1000, 'should have at most 1000 entries')
    .meta({ description: eventsText, examples: [['feature-environment-enabled', 'feature-environment-disabled']] }),
  projects: places.nullish(),
  environments: places.nullish(),
};

export const providerParameterSchema = z
  .object({
    name: z.string(),
    displayName: z.string(),
    type: z.string(),
    description: z.string().optional(),
    placeholder: z.string().optional(),
    required: z.boolean(),
    sensitive: z.boolean(),
    /**
     * The parameter is the destination of messages. A secret that was given for one destination is not sent to another.
     */
    destination: z.boolean().optional(),
  })
  .meta({ id: 'addonParameterSchema' });

/** A provider and its parameters as data, for validation, masking and later a form. */
export const providerSchema = z
  .object({
    name: z.string(),
    displayName: z.string(),
    documentationUrl: z.string(),
    description: z.string(),
    /** Why the provider is deprecated. It then accepts no new integrations; existing ones keep working. */
    deprecated: z.string().optional(),
    parameters: z.array(providerParameterSchema),
    /** The event types that it suggests. An integration may name others too. */
    events: z.array(eventTypeSchema),
    tagTypes: z.array(z.object({ name: z.string(), description: z.string(), icon: z.string() })).optional(),
    installation: z
      .object({ url: z.string(), title: z.string().optional(), helpText: z.string().optional() })
      .optional(),
  })
  .meta({
    id: 'addonTypeSchema',
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
  writes: true,
  summary: 'Makes an integration; it gets the events that are recorded from then on',
  input: z.object({ provider: providerName, ...configuration }),
  output: integrationSchema,
  errors: ['bad-data', 'limit-exceeded'],
  permission: 'CREATE_ADDON',
});

export const listIntegrations = request({
  name: 'integrations.integration.list',
  writes: false,
  summary: 'Every integration, or those that get the events of a project, and the provider definitions',
  input: z.object({ project: z.string().optional() }),
  output: z.object({ addons: z.array(integrationSchema), providers: z.array(providerSchema) }),
  permission: 'authenticated',
});

export const getIntegration = request({
  name: 'integrations.integration.get',
  writes: false,
  summary: 'One integration',
  input: z.object({ id: z.number().int() }),
  output: integrationSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const updateIntegration = request({
  name: 'integrations.integration.update',
  writes: true,
  summary:
    'Changes an integration; a masked parameter keeps its value as long as the destination is the same. An integration that is enabled again gets the events that are recorded from then on. After a change of a parameter without READ_LOGS it gets no events of people, until an actor with READ_LOGS saves it without masks',
  input: z.object({ id: z.number().int(), provider: providerName, ...configuration }),
  output: integrationSchema,
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'UPDATE_ADDON',
});

export const deleteIntegration = request({
  name: 'integrations.integration.delete',
  writes: true,
  summary: 'Deletes an integration; its deliveries and outcomes are deleted later',
  input: z.object({ id: z.number().int() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'DELETE_ADDON',
});
