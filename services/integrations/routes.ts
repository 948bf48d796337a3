import type { Bus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/integrations';
import { type Database, serveOutbox } from '@yardarm/shared/db';
import type { IntegrationsTables } from './db/schema.ts';
import { listAttempts } from './deliveries/list-attempts.ts';
import { redeliverMany, redeliverOne } from './deliveries/redeliver.ts';
import type { Keyring } from './encryption/keyring.ts';
import { createIntegration } from './integrations/create-integration.ts';
import { deleteIntegration } from './integrations/delete-integration.ts';
import { getIntegration, listIntegrations } from './integrations/integrations.handlers.ts';
import { testIntegration } from './integrations/test-integration.ts';
import { updateIntegration } from './integrations/update-integration.ts';
import { listIntegrationEvents } from './outcomes/outcomes.handlers.ts';
import type { Providers } from './providers/index.ts';

export function serveIntegrations(parts: {
  bus: Bus;
  db: Database<IntegrationsTables>;
  providers: Providers;
  keys: Keyring;
  onDue(): void;
}): void {
  const { bus, db } = parts;
  bus.serve(contracts.createIntegration, (input, context) => createIntegration(parts, input, context));
  bus.serveMany(contracts.listIntegrations, (input) => listIntegrations(parts, input));
  bus.serve(contracts.getIntegration, (input) => getIntegration(parts, input));
  bus.serve(contracts.updateIntegration, (input, context) => updateIntegration(parts, input, context));
  bus.serve(contracts.deleteIntegration, (input, context) => deleteIntegration(db, input, context));
  bus.serve(contracts.testIntegration, (input, context) => testIntegration(parts, input, context));
  bus.serve(contracts.redeliverEvent, (input) => redeliverOne(parts, input));
  bus.serve(contracts.redeliverRange, (input) => redeliverMany(parts, input));
  bus.serve(contracts.listDeliveryAttempts, (input) => listAttempts(db, input));
  bus.serveMany(contracts.listIntegrationEvents, (input) => listIntegrationEvents(db, input));
  serveOutbox(bus, db);
}
