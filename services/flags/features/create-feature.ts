import type { ServedContext } from '@yardarm/shared/bus';
import type { createFeature as contract, VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { actorOf, recordChange } from '../changes/record-change.ts';
import { requireWithinLimit } from '../places/limits/limits.repo.ts';
import { checkFeatureName } from '../places/projects/feature-naming.ts';
import { requireOpenProject } from '../places/projects/find-project.ts';
import { requireWithinFeatureLimit } from '../places/projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { checkFeature, distinctTags, featureEventData, featureNameExists } from './feature.ts';
import { findFeatureTypeIds } from './feature-types/feature-types.repo.ts';
import { insertFeature } from './features.repo.ts';
import { requireFeatureView } from './find-feature.ts';
import { requireTagTypes, tagsCreated } from './tags/change-tags.ts';

/**
 * Makes a flag that is off in every environment of its project. Its name is unique over all projects, archived flags
 * included. The first event carries the tags given here. As in the public product, no feature-tagged follows.
 */
export async function createFeature(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<VersionedFeature> {
  const { projectId: project, tags, ...properties } = input;
  return await recordChange(resources, context, async (trx, emit) => {
    const target = await requireOpenProject(trx, project);
    checkFeatureName(input.name, target.featureNaming);
    checkFeature(input, await findFeatureTypeIds(trx));
    const created = { ...properties, project, createdByUserId: actorOf(context).id };
    const distinct = distinctTags(tags);
    await requireTagTypes(trx, distinct);
    const inserted = await insertFeature(trx, created, distinct);
    if (!inserted) throw featureNameExists(input.name);
    const { feature, newTags } = inserted;
    const events = [{ type: 'feature-created' as const, data: featureEventData(feature) }];
    await emit(...tagsCreated(context, newTags), { context, feature, events, visibleIn: 'all' });
    await requireWithinFeatureLimit(trx, target);
    await requireWithinLimit(trx, 'features', resources.limits);
    return await requireFeatureView(trx, project, feature.name, context);
  });
}
