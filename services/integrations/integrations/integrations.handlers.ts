import type { Integration, Provider } from '@yardarm/shared/contracts/integrations';
import type { IntegrationsResources } from '../resources.ts';
import { includesName, integrationNotFound, toIntegration } from './integration.ts';
import { findIntegration, findIntegrations } from './integrations.repo.ts';

/** All integrations, or those that receive events of a project. */
export async function listIntegrations(
  { db, providers, keys }: IntegrationsResources,
  { project }: { project?: string | undefined },
): Promise<{ addons: Integration[]; providers: Provider[] }> {
  const integrations = await findIntegrations(db.kysely);
  const addons = integrations
    .filter(({ projects }) => includesName(projects, project ?? null))
    .map((integration) => toIntegration(integration, keys, providers.get(integration.provider)?.definition));
  return { addons, providers: [...providers.values()].map(({ definition }) => definition) };
}

export async function getIntegration(
  { db, providers, keys }: IntegrationsResources,
  { id }: { id: number },
): Promise<Integration> {
  const integration = await findIntegration(db.kysely, id);
  if (!integration) throw integrationNotFound(id);
  return toIntegration(integration, keys, providers.get(integration.provider)?.definition);
}
