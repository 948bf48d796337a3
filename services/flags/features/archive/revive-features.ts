import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { reviveFeatures as contract } from '@yardarm/shared/contracts/flags';
import { TimeSlicer } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { actorOf, recordChange } from '../../changes/record-change.ts';
import { requireOpenProject } from '../../places/projects/find-project.ts';
import type { FlagsResources } from '../../resources.ts';
import { applyChanges } from '../apply-changes.ts';
import { decideChangeOf } from '../decide-change.ts';
import { unknownFeature } from '../feature.ts';
import { lockFeatures } from '../features.repo.ts';
import { requireFeature } from '../find-feature.ts';
import { findProjectOf } from './archive.repo.ts';
import { lockFeaturesOf } from './find-features.ts';

/** Revives a flag of any project. A flag that is not archived stays as it is. */
export async function reviveFeature(
  resources: FlagsResources,
  { featureName }: { featureName: string },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const project = await findProjectOf(trx, featureName);
    if (project === null) throw unknownFeature(featureName);
    requirePermission(actorOf(context), 'UPDATE_FEATURE', { project });
    const openProjects = [await requireOpenProject(trx, project)];
    const found = (await lockFeatures(trx, [featureName])).get(featureName);
    const feature = await requireFeature(trx, project, featureName, found);
    const change = decideChangeOf(context, feature, { archived: false });
    await applyChanges(trx, emit, [change], { ...resources, openProjects });
  });
}

/** Flags that are not archived stay as they are. */
export async function reviveFeatures(
  resources: FlagsResources,
  { projectId, features: names }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const openProjects = [await requireOpenProject(trx, projectId)];
    const features = await lockFeaturesOf(trx, projectId, names);
    const slicer = new TimeSlicer(context);
    const decided = await slicer.map(features, (feature) => decideChangeOf(context, feature, { archived: false }));
    await applyChanges(trx, emit, decided, { ...resources, openProjects });
  });
}
