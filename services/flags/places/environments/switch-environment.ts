import type { ServedContext } from '@yardarm/shared/bus';
import type { switchEnvironment as contract, VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import { lockLiveFeature, requireFeatureView } from '../../features/find-feature.ts';
import type { FlagsResources } from '../../resources.ts';
import { switchLocked } from './switch-features.ts';

export async function switchEnvironment(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<VersionedFeature> {
  const { projectId: project, featureName: name, environment, ...how } = input;
  return await recordChange(resources, context, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, project, name);
    const { limits } = resources;
    await switchLocked(trx, emit, { features: [feature], environment, ...how, context, limits });
    return await requireFeatureView(trx, project, name, context);
  });
}
