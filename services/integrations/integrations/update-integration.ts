import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { updateIntegration as contract, Integration } from '@yardarm/shared/contracts/integrations';
import { appendEvent, type Database, eventOrigin, type Transaction } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { IntegrationsTables } from '../db/schema.ts';
import { cancelDeliveries } from '../deliveries/deliveries.repo.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { Providers } from '../providers/index.ts';
import {
  checkedConfiguration,
  hasSameFilters,
  integrationData,
  integrationKey,
  isSameConfiguration,
  openParameters,
  providerChange,
  requireSight,
  type StoredIntegration,
  sealParameters,
  toIntegration,
  unknownProvider,
} from './integration.ts';
import { integrationNotFound } from './integrations.handlers.ts';
import { beginFilters, changeIntegration, findIntegration, lockIntegration } from './integrations.repo.ts';
import { logHead } from './log-head.ts';

type Input = z.output<typeof contract.input>;

interface Parts {
  db: Database<IntegrationsTables>;
  bus: Bus;
  providers: Providers;
  keys: Keyring;
}

/** Changes an integration. One that is enabled again begins anew: its old deliveries are cancelled. */
export async function updateIntegration(parts: Parts, input: Input, context: RequestContext): Promise<Integration> {
  const { db, bus, providers, keys } = parts;
  const found = await findIntegration(db.kysely, input.id);
  if (!found) throw integrationNotFound(input.id);
  let head = input.enabled && !found.enabled ? await logHead(bus, context) : null;
  for (;;) {
    const result = await db.transaction((trx) => change(trx, parts, input, head, context));
    if (result !== 'needs-head') return toIntegration(result, keys, providers.get(result.provider)?.definition);
    // Another request has disabled it since the read.
    head = await logHead(bus, context);
  }
}

async function change(
  trx: Transaction<IntegrationsTables>,
  { providers, keys }: Parts,
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
  const configuration = checkedConfiguration(
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
  if (isSameConfiguration(configuration, { ...before, parameters })) return before;
  requireSight(context.actor, configuration);
  const begins = configuration.enabled && !before.enabled;
  if (begins && head === null) return 'needs-head';
  const after = {
    ...before,
    ...configuration,
    parameters: sealParameters(keys, configuration),
    fromEventId: begins && head !== null ? head : before.fromEventId,
  };
  await changeIntegration(trx, after);
  if (!hasSameFilters(after, before)) await beginFilters(trx, input.id);
  // Disabling lets sends in flight finish. Enabling again cancels all old deliveries.
  if (begins) await cancelDeliveries(trx, input.id, ['pending', 'waiting', 'sending']);
  else if (!configuration.enabled && before.enabled) await cancelDeliveries(trx, input.id, ['pending', 'waiting']);
  appendEvent(trx, {
    type: 'addon-config-updated',
    data: integrationData(after),
    preData: integrationData(before),
    orderingKey: integrationKey(input.id),
    ...eventOrigin(context),
  });
  return after;
}
