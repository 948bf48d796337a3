import type { Strategy, StrategyPlace } from '@yardarm/shared/contracts/flags';
import { requireFeature } from '../../features/find-feature.ts';
import { environmentNotFound } from '../../places/environments/environment.ts';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import type { FeatureEnvironmentKey } from './lock-feature-environment.ts';
import { findStrategiesIn, listStrategyPlacesAfter } from './strategies.repo.ts';
import { strategyNotFound } from './strategy.ts';

/** A place has less than 1 kB. */
const maxPlacesPerRead = 500;

export async function listStrategies(
  { db }: FlagsResources,
  place: FeatureEnvironmentKey,
): Promise<{ strategies: Strategy[] }> {
  const { projectId, featureName, environment } = place;
  const found = await findStrategiesIn(db.kysely, place);
  if (found === null) {
    await requireFeature(db.kysely, projectId, featureName, undefined);
    return { strategies: [] };
  }
  if (found.environment === null) throw environmentNotFound(environment, projectId);
  return { strategies: found.strategies };
}

export async function getStrategy(
  resources: FlagsResources,
  { strategyId, ...place }: FeatureEnvironmentKey & { strategyId: string },
): Promise<Strategy> {
  const { strategies } = await listStrategies(resources, place);
  const strategy = strategies.find(({ id }) => id === strategyId);
  if (!strategy) throw strategyNotFound(strategyId, place.featureName, place.environment);
  return strategy;
}

/** By id. Each read is at its own moment. */
export async function* listStrategiesByContextField(
  { db }: FlagsResources,
  { contextField, projectId }: { contextField: string; projectId?: string | undefined },
): AsyncGenerator<{ strategies: StrategyPlace[] }> {
  if (projectId !== undefined && !(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const project = projectId ?? null;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const strategies = await listStrategyPlacesAfter(db.kysely, {
      ...{ contextField, project, after, limit: maxPlacesPerRead },
    });
    yield { strategies };
    const last = strategies.at(-1);
    if (last === undefined || strategies.length < maxPlacesPerRead) return;
    after = last.id;
  }
}
