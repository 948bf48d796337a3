import { inPieces } from '@yardarm/shared/bus';
import type { Integration, Provider } from '@yardarm/shared/contracts/integrations';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { Providers } from '../providers/index.ts';
import { concerns, toIntegration } from './integration.ts';
import { findIntegration, findIntegrations } from './integrations.repo.ts';

interface Parts {
  db: Database<IntegrationsTables>;
  providers: Providers;
  keys: Keyring;
}

/**
 * Lists all integrations, or those that receive events of a project, in pieces that fit a message. The first piece
 * lists the providers.
 */
export async function* listIntegrations(
  { db, providers, keys }: Parts,
  { project }: { project?: string | undefined },
): AsyncGenerator<{ addons: Integration[]; providers: Provider[] }> {
  const integrations = await findIntegrations(db.kysely);
  const shown = integrations
    .filter(({ projects }) => concerns(projects, project ?? null))
    .map((integration) => toIntegration(integration, keys, providers.get(integration.provider)?.definition));
  yield { addons: [], providers: [...providers.values()].map(({ definition }) => definition) };
  for (const addons of inPieces(shown)) yield { addons, providers: [] };
}

export async function getIntegration({ db, providers, keys }: Parts, { id }: { id: number }): Promise<Integration> {
  const integration = await findIntegration(db.kysely, id);
  if (!integration) throw integrationNotFound(id);
  return toIntegration(integration, keys, providers.get(integration.provider)?.definition);
}

export function integrationNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the addon with ID "${id}".`);
}
