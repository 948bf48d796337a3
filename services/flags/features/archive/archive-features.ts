import type { ServedContext } from '@yardarm/shared/bus';
import type { archiveFeatures as contract } from '@yardarm/shared/contracts/flags';
import { TimeSlicer } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { applyChanges } from '../apply-changes.ts';
import { decideChangeOf } from '../decide-change.ts';
import { lockFeatures } from '../features.repo.ts';
import { requireFeature } from '../find-feature.ts';
import { lockFeaturesOf } from './find-features.ts';

/** Archives a flag. One that is archived already stays as it is. */
export async function archiveFeature(
  resources: FlagsResources,
  { projectId, featureName }: { projectId: string; featureName: string },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const locked = (await lockFeatures(trx, [featureName])).get(featureName);
    const feature = await requireFeature(trx, projectId, featureName, locked);
    if (feature.archivedAt !== null) return;
    await applyChanges(trx, emit, [decideChangeOf(context, feature, { archived: true })], resources);
  });
}

/** Archives flags. Those that are archived already stay as they are. */
export async function archiveFeatures(
  resources: FlagsResources,
  { projectId, features: names }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const features = await lockFeaturesOf(trx, projectId, names);
    const live = features.filter(({ archivedAt }) => archivedAt === null);
    const slicer = new TimeSlicer(context);
    const decided = await slicer.map(live, (feature) => decideChangeOf(context, feature, { archived: true }));
    await applyChanges(trx, emit, decided, resources);
  });
}
