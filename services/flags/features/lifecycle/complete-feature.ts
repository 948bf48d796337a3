import type { ServedContext } from '@yardarm/shared/bus';
import type { completeFeature as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { lockLiveFeature } from '../find-feature.ts';
import { findCompletion, upsertCompletion } from './lifecycle.repo.ts';

/** From any stage. A completed flag may get another status; with the same one nothing changes. */
export async function completeFeature(
  resources: FlagsResources,
  { projectId, featureName, status, statusValue }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, projectId, featureName);
    const before = await findCompletion(trx, featureName);
    if (before?.status === status && before.statusValue === statusValue) return;
    await upsertCompletion(trx, featureName, { status, statusValue });
    const events = [{ type: 'feature-completed' as const, data: { status, statusValue } }];
    await emit({ context, feature, events, visibleIn: [] });
  });
}
