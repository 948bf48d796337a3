import type { RequestContext } from '@yardarm/shared/bus';
import type { updateIntegration as contract, Integration } from '@yardarm/shared/contracts/integrations';
import { appendEvent, eventOrigin, type Transaction } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { cancelDeliveries, cancelEventsOfPeople } from '../deliveries/deliveries.repo.ts';
import type { IntegrationsResources } from '../resources.ts';
import { decideEventsOfPeople, requireReadableEvents } from './events-of-people.ts';
import { fetchLogHead } from './fetch-log-head.ts';
import {
  checkConfiguration,
  hasSameFilters,
  integrationEventData,
  integrationNotFound,
  integrationOrderingKey,
  isSameConfiguration,
  keptParameters,
  openParameters,
  providerChange,
  type StoredIntegration,
  sealParameters,
  toIntegration,
  unknownProvider,
} from './integration.ts';
import { findIntegration, lockIntegration, updateFilteredSince, updateIntegrationRow } from './integrations.repo.ts';
import { requireDestination } from './require-destination.ts';
import { requirePlaces } from './require-places.ts';
import { requireRoomForIntegrations } from './room.repo.ts';

type Input = z.output<typeof contract.input>;

/** Changes an integration. One that is enabled again begins anew: its old deliveries are cancelled. */
export async function updateIntegration(
  resources: IntegrationsResources,
  input: Input,
  context: RequestContext,
): Promise<Integration> {
  const { db, bus, providers, keys } = resources;
  const found = await findIntegration(db.kysely, input.id);
  if (!found) throw integrationNotFound(input.id);
  const provider = providers.get(found.provider);
  if (provider) await requireDestination(provider, input.parameters, openParameters(keys, found));
  const filters = { projects: input.projects ?? [], environments: input.environments ?? [] };
  await requirePlaces(bus, filters, context, found);
  let head = input.enabled && !found.enabled ? await fetchLogHead(bus, context) : null;
  for (;;) {
    const result = await db.transaction((trx) => change(trx, resources, input, head, context));
    if (result !== 'needs-head') return toIntegration(result, keys, providers.get(result.provider)?.definition);
    // Another request has disabled it since the read.
    head = await fetchLogHead(bus, context);
  }
}

async function change(
  trx: Transaction<IntegrationsTables>,
  { providers, keys }: IntegrationsResources,
  input: Input,
  head: number | null,
  context: RequestContext,
): Promise<StoredIntegration | 'needs-head'> {
  const before = await lockIntegration(trx, input.id);
  if (!before) throw integrationNotFound(input.id);
  if (input.provider !== before.provider) throw providerChange(before.provider, input.provider);
  const provider = providers.get(input.provider);
  if (!provider) throw unknownProvider(input.provider, providers.keys());
  const parameters = openParameters(keys, before);
  const configuration = checkConfiguration(
    {
      provider: input.provider,
      description: input.description === undefined ? before.description : (input.description ?? ''),
      enabled: input.enabled,
      parameters: input.parameters,
      events: input.events,
      projects: input.projects === undefined ? before.projects : (input.projects ?? []),
      environments: input.environments === undefined ? before.environments : (input.environments ?? []),
    },
    provider,
    parameters,
  );
  const maySendEventsOfPeople = decideEventsOfPeople(
    context.actor,
    { ...before, parameters },
    configuration,
    keptParameters(input.parameters, provider.definition, parameters),
  );
  const isSame = isSameConfiguration(configuration, { ...before, parameters });
  if (isSame && maySendEventsOfPeople === before.maySendEventsOfPeople) return before;
  requireReadableEvents(context.actor, configuration, before);
  const isEnabledAgain = configuration.enabled && !before.enabled;
  if (isEnabledAgain && head === null) return 'needs-head';
  const after = {
    ...before,
    ...configuration,
    parameters: sealParameters(keys, configuration),
    maySendEventsOfPeople,
    fromEventId: isEnabledAgain && head !== null ? head : before.fromEventId,
  };
  await updateIntegrationRow(trx, after);
  if (JSON.stringify(after).length > JSON.stringify(before).length) await requireRoomForIntegrations(trx);
  if (!hasSameFilters(after, before)) await updateFilteredSince(trx, input.id);
  // First, so that their outcomes give the reason. Sends in flight finish with the parameters from before.
  if (!maySendEventsOfPeople) await cancelEventsOfPeople(trx, input.id, { states: ['pending', 'waiting'] });
  // Disabling lets sends in flight finish. Enabling again cancels all old deliveries.
  if (isEnabledAgain) await cancelDeliveries(trx, input.id, ['pending', 'waiting', 'sending']);
  else if (!configuration.enabled && before.enabled) await cancelDeliveries(trx, input.id, ['pending', 'waiting']);
  appendEvent(trx, {
    type: 'addon-config-updated',
    data: integrationEventData(after),
    preData: integrationEventData(before),
    orderingKey: integrationOrderingKey(input.id),
    ...eventOrigin(context),
  });
  return after;
}
