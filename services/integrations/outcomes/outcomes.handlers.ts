import { inPieces, pieceLimits } from '@yardarm/shared/bus';
import type { IntegrationEvent } from '@yardarm/shared/contracts/integrations';
import type { Database } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { integrationNotFound } from '../integrations/integrations.handlers.ts';
import { findIntegration } from '../integrations/integrations.repo.ts';
import { findOutcomes, findPage } from './outcomes.repo.ts';

/** The outcomes of an integration, newest first, in pieces that fit a message. */
export async function* listIntegrationEvents(
  { kysely }: Database<IntegrationsTables>,
  page: { integrationId: number; limit: number; offset: number },
): AsyncIterable<{ integrationEvents: IntegrationEvent[] }> {
  if (!(await findIntegration(kysely, page.integrationId))) throw integrationNotFound(page.integrationId);
  for (const piece of inPieces(await findPage(kysely, page), pieceLimits, ({ size }) => size)) {
    yield {
      integrationEvents: await findOutcomes(
        kysely,
        piece.map(({ id }) => id),
      ),
    };
  }
}
