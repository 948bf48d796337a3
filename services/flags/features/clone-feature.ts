import { randomUUID } from 'node:crypto';
import type { ServedContext } from '@yardarm/shared/bus';
import type { cloneFeature as contract, VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { actorOf, type FeatureEvent, recordChange } from '../changes/record-change.ts';
import { requireRoomForNew } from '../places/limits/limits.repo.ts';
import { checkFeatureName } from '../places/projects/feature-naming.ts';
import { requireOpenProject } from '../places/projects/find-project.ts';
import { requireWithinFeatureLimit } from '../places/projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { findWholeStrategies, insertStrategies } from '../targeting/strategies/whole-strategies.repo.ts';
import { copyDependencies, copyVariants } from './clones.repo.ts';
import { featureEventData, featureNameExists, toDocument } from './feature.ts';
import { insertFeatures } from './features.repo.ts';
import { lockLiveFeature, requireFeatureView } from './find-feature.ts';

/**
 * Makes a flag like another, off everywhere. As in the public product, it has no tags and links of the other. With
 * `replaceGroupId` the strategies divide users by the new name, so that both flags do not select the same users.
 */
export async function cloneFeature(
  resources: FlagsResources,
  { projectId: project, featureName, name, replaceGroupId }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<VersionedFeature> {
  return await recordChange(resources, context, async (trx, emit) => {
    const target = await requireOpenProject(trx, project);
    checkFeatureName(name, target.featureNaming);
    const { archived: _, ...document } = toDocument(await lockLiveFeature(trx, project, featureName));
    const copy = { ...document, name, project, createdByUserId: actorOf(context).id };
    const inserted = (await insertFeatures(trx, [{ feature: copy, tags: [] }])).get(name);
    if (!inserted) throw featureNameExists(name);
    const { feature } = inserted;

    await copyVariants(trx, featureName, name);
    const dependencies = await copyDependencies(trx, featureName, name);
    const originals = await findWholeStrategies(trx, featureName);
    const copies = originals.map(({ parameters, ...strategy }) => ({
      ...strategy,
      id: randomUUID(),
      featureName: name,
      parameters: replaceGroupId && 'groupId' in parameters ? { ...parameters, groupId: name } : parameters,
    }));
    await insertStrategies(trx, copies);

    const events: FeatureEvent[] = [
      { type: 'feature-created', data: featureEventData(feature) },
      ...dependencies.map((data) => ({ type: 'feature-dependency-added' as const, data })),
      ...copies.map(({ environment, ...data }) => ({ type: 'feature-strategy-add' as const, environment, data })),
    ];
    const segments = copies.flatMap((strategy) => strategy.segments);
    await emit({ context, feature, events, visibleIn: 'all', segments, hasNewVersion: true });
    await requireWithinFeatureLimit(trx, target);
    await requireRoomForNew(trx, 'features', resources.limits);
    return await requireFeatureView(trx, project, name, context);
  });
}
