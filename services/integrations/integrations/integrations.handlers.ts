import { splitIntoPieces } from '@yardarm/shared/bus';
import type { Integration, Provider } from '@yardarm/shared/contracts/integrations';
import type { IntegrationsResources } from '../resources.ts';
import { includesName, integrationNotFound, toIntegration } from './integration.ts';
import { findIntegration, findIntegrations } from './integrations.repo.ts';

/** All integrations, or those that receive events of a project. The first piece lists the providers. */
export async function* listIntegrations(
  { db, providers, keys }: IntegrationsResources,
  { project }: { project?: string | undefined },
): AsyncGenerator<{ addons: Integration[]; providers: Provider[] }> {
  const integrations = await findIntegrations(db.kysely);
  const listed = integrations
    .filter(({ projects }) => includesName(projects, project ?? null))
    .map((integration) => toIntegration(integration, keys, providers.get(integration.provider)?.definition));
  yield { addons: [], providers: [...providers.values()].map(({ definition }) => definition) };
  for (const addons of splitIntoPieces(listed)) yield { addons, providers: [] };
}

export async function getIntegration(
  { db, providers, keys }: IntegrationsResources,
  { id }: { id: number },
): Promise<Integration> {
  const integration = await findIntegration(db.kysely, id);
  if (!integration) throw integrationNotFound(id);
  return toIntegration(integration, keys, providers.get(integration.provider)?.definition);
}
