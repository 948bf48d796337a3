import { pieceLimits, splitIntoPieces } from '@yardarm/shared/bus';
import type { IntegrationEvent } from '@yardarm/shared/contracts/integrations';
import { integrationNotFound } from '../integrations/integration.ts';
import { findIntegration } from '../integrations/integrations.repo.ts';
import type { IntegrationsResources } from '../resources.ts';
import { toIntegrationEvent } from './outcome.ts';
import { findOutcomes, listOutcomeIds } from './outcomes.repo.ts';

export async function* listIntegrationEvents(
  { db: { kysely } }: IntegrationsResources,
  page: { integrationId: number; limit: number; offset: number },
): AsyncIterable<{ integrationEvents: IntegrationEvent[] }> {
  if (!(await findIntegration(kysely, page.integrationId))) throw integrationNotFound(page.integrationId);
  for (const piece of splitIntoPieces(await listOutcomeIds(kysely, page), pieceLimits, ({ size }) => size)) {
    const ids = piece.map(({ id }) => id);
    yield { integrationEvents: (await findOutcomes(kysely, ids)).map(toIntegrationEvent) };
  }
}
