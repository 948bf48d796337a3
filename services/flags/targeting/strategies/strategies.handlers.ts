import type { ServedContext } from '@yardarm/shared/bus';
import type { Strategy, StrategyPlace } from '@yardarm/shared/contracts/flags';
import { requireFeature } from '../../features/find-feature.ts';
import { runLargeRead } from '../../large-reads.ts';
import { environmentNotFound } from '../../places/environments/environment.ts';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import type { FeatureEnvironmentKey } from './lock-feature-environment.ts';
import { findStrategiesIn, findStrategyPlaces } from './strategies.repo.ts';
import { strategyNotFound } from './strategy.ts';

/** A place has less than 1 kB, and a strategy up to 450 kB of constraints. */
const maxStrategiesPerRead = 2_000;

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

/** By id. Each read is at its own moment, and takes a turn. */
export async function* listStrategiesByContextField(
  resources: FlagsResources,
  { contextField, projectId }: { contextField: string; projectId?: string | undefined },
  context: ServedContext,
): AsyncGenerator<{ strategies: StrategyPlace[] }> {
  const { db } = resources;
  if (projectId !== undefined && !(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const search = { contextField, project: projectId ?? null, limit: maxStrategiesPerRead };
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after !== null; ) {
    const from: string = after;
    const { places, last } = await runLargeRead(resources, context, () =>
      findStrategyPlaces(db.kysely, { ...search, after: from }),
    );
    yield { strategies: places };
    after = last;
  }
}
