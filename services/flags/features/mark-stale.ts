import type { ServedContext } from '@yardarm/shared/bus';
import type { staleFeatures as contract } from '@yardarm/shared/contracts/flags';
import { TimeSlicer } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { recordChange } from '../changes/record-change.ts';
import type { FlagsResources } from '../resources.ts';
import { applyChanges } from './apply-changes.ts';
import { lockFeaturesOf } from './archive/find-features.ts';
import { decideChangeOf } from './decide-change.ts';

/** Marks flags as stale or not. Archived ones stay as they are. */
export async function staleFeatures(
  resources: FlagsResources,
  { projectId, features: names, stale }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const features = await lockFeaturesOf(trx, projectId, names);
    const live = features.filter(({ archivedAt }) => archivedAt === null);
    const decided = await new TimeSlicer(context).map(live, (feature) => decideChangeOf(context, feature, { stale }));
    await applyChanges(trx, emit, decided, resources);
  });
}
