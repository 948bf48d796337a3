import { serveUseCases } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/integrations';
import { serveOutbox } from '@yardarm/shared/db';
import { listAttempts } from './deliveries/list-attempts.ts';
import { countRedeliverable, redeliverEvent, redeliverRange } from './deliveries/redeliver-events.ts';
import { createIntegration } from './integrations/create-integration.ts';
import { deleteIntegration } from './integrations/delete-integration.ts';
import { getIntegration, listIntegrations } from './integrations/integrations.handlers.ts';
import { listIntegrationStates } from './integrations/list-states.ts';
import { testIntegration } from './integrations/test-integration.ts';
import { updateIntegration } from './integrations/update-integration.ts';
import { listIntegrationEvents } from './outcomes/outcomes.handlers.ts';
import type { IntegrationsResources } from './resources.ts';

export function serveIntegrations(resources: IntegrationsResources): void {
  const { serve } = serveUseCases(resources);
  serve(contracts.createIntegration, createIntegration);
  serve(contracts.listIntegrations, listIntegrations);
  serve(contracts.listIntegrationStates, listIntegrationStates);
  serve(contracts.getIntegration, getIntegration);
  serve(contracts.updateIntegration, updateIntegration);
  serve(contracts.deleteIntegration, deleteIntegration);
  serve(contracts.testIntegration, testIntegration);
  serve(contracts.redeliverEvent, redeliverEvent);
  serve(contracts.redeliverRange, redeliverRange);
  serve(contracts.countRedeliverable, countRedeliverable);
  serve(contracts.listDeliveryAttempts, listAttempts);
  serve(contracts.listIntegrationEvents, listIntegrationEvents);
  serveOutbox(resources.bus, resources.db);
}
