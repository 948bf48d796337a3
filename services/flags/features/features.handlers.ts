import { pieceLimits, type ServedContext, splitIntoPieces } from '@yardarm/shared/bus';
import type { Feature, FeatureEnvironment, VersionedFeature } from '@yardarm/shared/contracts/flags';
import { environmentNotFound } from '../environments/environment.ts';
import { projectNotFound } from '../projects/project.ts';
import { hasProject } from '../projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { listFeaturesAfter } from './feature-views.repo.ts';
import { requireFeatureView } from './find-feature.ts';

/** The contract's limit of a piece. One read is as large, so that a large project needs little memory. */
const maxFlagsPerPiece = 100;

export async function getFeature(
  { db }: FlagsResources,
  { projectId, featureName }: { projectId: string; featureName: string },
  context: ServedContext,
): Promise<VersionedFeature> {
  return await requireFeatureView(db.kysely, projectId, featureName, context);
}

export async function getFeatureEnvironment(
  { db }: FlagsResources,
  { projectId, featureName, environment }: { projectId: string; featureName: string; environment: string },
  context: ServedContext,
): Promise<FeatureEnvironment> {
  const { environments } = await requireFeatureView(db.kysely, projectId, featureName, context);
  const found = environments.find(({ name }) => name === environment);
  if (found === undefined) throw environmentNotFound(environment, projectId);
  return found;
}

/** By name. Each piece is read at its own moment, so a flag that is made meanwhile may be missing. */
export async function* listFeatures(
  { db }: FlagsResources,
  { projectId }: { projectId: string },
  { actor }: ServedContext,
): AsyncGenerator<{ features: Feature[] }> {
  if (!(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  let after = '';
  let isFirst = true;
  for (;;) {
    const features = await listFeaturesAfter(db.kysely, {
      ...{ project: projectId, after, userId: actor?.id ?? null, limit: maxFlagsPerPiece },
    });
    if (isFirst && features.length === 0) yield { features };
    for (const piece of splitIntoPieces(features, { ...pieceLimits, items: maxFlagsPerPiece }))
      yield { features: piece };
    const last = features.at(-1);
    if (last === undefined || features.length < maxFlagsPerPiece) return;
    after = last.name;
    isFirst = false;
  }
}
