import { type RequestContext, requestBeforeChange } from '@yardarm/shared/bus';
import { ensureTagTypes } from '@yardarm/shared/contracts/flags';
import type { createIntegration as contract, Integration } from '@yardarm/shared/contracts/integrations';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { Providers } from '../providers/index.ts';
import type { IntegrationsResources } from '../resources.ts';
import { mayReadEventsOfPeople, requireReadableEvents } from './events-of-people.ts';
import { fetchLogHead } from './fetch-log-head.ts';
import {
  checkConfiguration,
  deprecatedProvider,
  integrationEventData,
  integrationOrderingKey,
  sealParameters,
  toIntegration,
  unknownProvider,
} from './integration.ts';
import { insertIntegration } from './integrations.repo.ts';
import { requireDestination } from './require-destination.ts';
import { requirePlaces } from './require-places.ts';
import { requireRoomForIntegrations } from './room.repo.ts';

/** Creates an integration; it receives events that are recorded from now on. */
export async function createIntegration(
  { db, bus, providers, keys }: IntegrationsResources,
  input: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<Integration> {
  const provider = providers.get(input.provider);
  if (!provider) throw unknownProvider(input.provider, selectableNames(providers));
  if (provider.definition.deprecated) throw deprecatedProvider(provider.definition);
  const configuration = checkConfiguration(
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
  requireReadableEvents(context.actor, configuration);
  await requireDestination(provider, configuration.parameters);
  await requirePlaces(bus, configuration, context);
  const parameters = sealParameters(keys, configuration);
  const head = await fetchLogHead(bus, context);
  const { tagTypes } = provider.definition;
  // Repeatable: if the integration is not stored after all, the types stay without harm.
  if (tagTypes) await requestBeforeChange(context, (inner) => bus.request(ensureTagTypes, { tagTypes }, inner));
  const stored = await db.transaction(async (trx) => {
    const maySendEventsOfPeople = mayReadEventsOfPeople(context.actor);
    const integration = await insertIntegration(trx, { ...configuration, parameters, maySendEventsOfPeople }, head);
    await requireRoomForIntegrations(trx);
    appendEvent(trx, {
      type: 'addon-config-created',
      data: integrationEventData(integration),
      orderingKey: integrationOrderingKey(integration.id),
      ...eventOrigin(context),
    });
    return integration;
  });
  return toIntegration(stored, keys, provider.definition);
}

function selectableNames(providers: Providers): string[] {
  return [...providers.values()]
    .filter(({ definition }) => !definition.deprecated)
    .map(({ definition }) => definition.name);
}
