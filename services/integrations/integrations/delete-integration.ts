import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { IntegrationsResources } from '../resources.ts';
import { integrationEventData, integrationNotFound, integrationOrderingKey } from './integration.ts';
import { lockIntegration, markIntegrationDeleted } from './integrations.repo.ts';

/** Deletes an integration. The retention sweeps its deliveries later. */
export async function deleteIntegration(
  { db }: IntegrationsResources,
  { id }: { id: number },
  context: RequestContext,
): Promise<void> {
  await db.transaction(async (trx) => {
    const integration = await lockIntegration(trx, id);
    if (!integration) throw integrationNotFound(id);
    await markIntegrationDeleted(trx, id);
    appendEvent(trx, {
      type: 'addon-config-deleted',
      preData: integrationEventData(integration),
      orderingKey: integrationOrderingKey(id),
      ...eventOrigin(context),
    });
  });
}
