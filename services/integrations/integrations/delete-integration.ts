import type { RequestContext } from '@yardarm/shared/bus';
import { appendEvent, type Database, eventOrigin } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationData, integrationKey } from './integration.ts';
import { integrationNotFound } from './integrations.handlers.ts';
import { lockIntegration, removeIntegration } from './integrations.repo.ts';

/** Deletes an integration. The retention sweeps its deliveries later. */
export async function deleteIntegration(
  db: Database<IntegrationsTables>,
  { id }: { id: number },
  context: RequestContext,
): Promise<Record<string, never>> {
  await db.transaction(async (trx) => {
    const integration = await lockIntegration(trx, id);
    if (!integration) throw integrationNotFound(id);
    await removeIntegration(trx, id);
    appendEvent(trx, {
      type: 'addon-config-deleted',
      preData: integrationData(integration),
      orderingKey: integrationKey(id),
      ...eventOrigin(context),
    });
  });
  return {};
}
