import type { ServedContext } from '@yardarm/shared/bus';
import type { uncompleteFeature as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { lockLiveFeature } from '../find-feature.ts';
import { findCompletion, replaceCompletionByLive } from './lifecycle.repo.ts';

/** The flag becomes live, whatever its stage was before. A flag that is not completed stays as it is. */
export async function uncompleteFeature(
  resources: FlagsResources,
  { projectId, featureName }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, projectId, featureName);
    if ((await findCompletion(trx, featureName)) === null) return;
    await replaceCompletionByLive(trx, featureName);
    await emit({ context, feature, events: [{ type: 'feature-uncompleted' }], visibleIn: [] });
  });
}
