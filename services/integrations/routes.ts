import type { Bus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/integrations';
import type { Database } from '@yardarm/shared/db';
import type { IntegrationsTables } from './db/schema.ts';
import { createIntegration } from './integrations/create-integration.ts';
import { deleteIntegration } from './integrations/delete-integration.ts';
import { getIntegration, listIntegrations } from './integrations/integrations.handlers.ts';
import { updateIntegration } from './integrations/update-integration.ts';
import { listIntegrationEvents } from './outcomes/outcomes.handlers.ts';
import type { Providers } from './providers/index.ts';

/** Every request that integrations answers. */
export function serveIntegrations(parts: { bus: Bus; db: Database<IntegrationsTables>; providers: Providers }): void {
  const { bus, db } = parts;
  bus.serve(contracts.createIntegration, (input, context) => createIntegration(parts, input, context));
  bus.serveMany(contracts.listIntegrations, () => listIntegrations(parts));
  bus.serve(contracts.getIntegration, (input) => getIntegration(parts, input));
  bus.serve(contracts.updateIntegration, (input, context) => updateIntegration(parts, input, context));
  bus.serve(contracts.deleteIntegration, (input, context) => deleteIntegration(db, input, context));
  bus.serveMany(contracts.listIntegrationEvents, (input) => listIntegrationEvents(db, input));
}
