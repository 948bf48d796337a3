import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { deleteFeatures as contract } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { z } from 'zod';
import { actorOf, type ChangedNoun, type Emit, recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { FlagsResources } from '../../resources.ts';
import { featureEventData, featureOrderingKey, type StoredFeature, unknownFeature } from '../feature.ts';
import { lockFeatures } from '../features.repo.ts';
import { deleteFeatureRows, findTagsAndSegments, renewPlans } from './archive.repo.ts';
import { lockFeaturesOf } from './find-features.ts';

/** Deletes an archived flag, whatever its project is. Another one stays as it is, as in the public product. */
export async function deleteFeature(
  resources: FlagsResources,
  { featureName }: { featureName: string },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const feature = (await lockFeatures(trx, [featureName])).get(featureName);
    if (feature === undefined) throw unknownFeature(featureName);
    requirePermission(actorOf(context), 'DELETE_FEATURE', { project: feature.project });
    await deleteArchived(trx, emit, feature.archivedAt === null ? [] : [feature], context);
  });
}

/** Flags that are not archived stay as they are. */
export async function deleteFeatures(
  resources: FlagsResources,
  { projectId, features: names }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const features = await lockFeaturesOf(trx, projectId, names);
    const archived = features.filter(({ archivedAt }) => archivedAt !== null);
    await deleteArchived(trx, emit, archived, context);
  });
}

/**
 * Deletes archived flags for ever, with an event each. The caller has locked their rows. SDKs forgot the flags when
 * they were archived. The segments of their strategies may have been in use until now.
 */
export async function deleteArchived(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  features: readonly StoredFeature[],
  context: ChangedNoun['context'],
): Promise<void> {
  if (features.length === 0) return;
  const names = features.map(({ name }) => name);
  renewPlans(trx);
  const ended = await findTagsAndSegments(trx, names);
  await deleteFeatureRows(trx, names);
  await emit(
    ...features.map((feature): ChangedNoun => {
      const { name: featureName, project } = feature;
      const { tags = [], places = [], segments = [] } = ended.get(featureName) ?? {};
      const event = { type: 'feature-deleted' as const, featureName, project, tags };
      return {
        context,
        orderingKey: featureOrderingKey(featureName),
        events: [{ ...event, preData: featureEventData(feature) }],
        visible: { endsOfUse: places, segmentUses: segments },
      };
    }),
  );
}
