import { inPieces } from '@yardarm/shared/bus';
import type { Integration, Provider } from '@yardarm/shared/contracts/integrations';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Providers } from '../providers/index.ts';
import { shownIntegration } from './integration.ts';
import { findIntegration, findIntegrations } from './integrations.repo.ts';

interface Parts {
  db: Database<IntegrationsTables>;
  providers: Providers;
}

/** Every integration, and with the first of them what one can be made of, in pieces that fit a message. */
export async function* listIntegrations({
  db,
  providers,
}: Parts): AsyncGenerator<{ addons: Integration[]; providers: Provider[] }> {
  const integrations = await findIntegrations(db.kysely);
  const shown = integrations.map((integration) =>
    shownIntegration(integration, providers.get(integration.provider)?.definition),
  );
  yield { addons: [], providers: [...providers.values()].map(({ definition }) => definition) };
  for (const addons of inPieces(shown)) yield { addons, providers: [] };
}

/** One integration. */
export async function getIntegration({ db, providers }: Parts, { id }: { id: number }): Promise<Integration> {
  const integration = await findIntegration(db.kysely, id);
  if (!integration) throw integrationNotFound(id);
  return shownIntegration(integration, providers.get(integration.provider)?.definition);
}

/** The refusal of an id that is none. */
export function integrationNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the addon with ID "${id}".`);
}
