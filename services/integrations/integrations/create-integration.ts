import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { createIntegration as contract, Integration } from '@yardarm/shared/contracts/integrations';
import { appendEvent, type Database, eventOrigin } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { Providers } from '../providers/index.ts';
import {
  checkedConfiguration,
  deprecatedProvider,
  integrationData,
  integrationKey,
  requireSight,
  sealParameters,
  toIntegration,
  unknownProvider,
} from './integration.ts';
import { insertIntegration } from './integrations.repo.ts';
import { logHead } from './log-head.ts';

/** Creates an integration; it receives events that are recorded from now on. */
export async function createIntegration(
  { db, bus, providers, keys }: { db: Database<IntegrationsTables>; bus: Bus; providers: Providers; keys: Keyring },
  input: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<Integration> {
  const provider = providers.get(input.provider);
  if (!provider) throw unknownProvider(input.provider, chosenFrom(providers));
  if (provider.definition.deprecated) throw deprecatedProvider(provider.definition);
  const configuration = checkedConfiguration(
    {
      provider: input.provider,
      description: input.description ?? null,
      enabled: input.enabled,
      parameters: input.parameters,
      events: input.events,
      projects: input.projects ?? [],
      environments: input.environments ?? [],
    },
    provider,
  );
  requireSight(context.actor, configuration);
  const parameters = sealParameters(keys, configuration);
  const head = await logHead(bus, context);
  const stored = await db.transaction(async (trx) => {
    const integration = await insertIntegration(trx, { ...configuration, parameters }, head);
    appendEvent(trx, {
      type: 'addon-config-created',
      data: integrationData(integration),
      orderingKey: integrationKey(integration.id),
      ...eventOrigin(context),
    });
    return integration;
  });
  return toIntegration(stored, keys, provider.definition);
}

function chosenFrom(providers: Providers): string[] {
  return [...providers.values()]
    .filter(({ definition }) => !definition.deprecated)
    .map(({ definition }) => definition.name);
}
