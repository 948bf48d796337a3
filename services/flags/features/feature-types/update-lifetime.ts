import type { ServedContext } from '@yardarm/shared/bus';
import type { updateFeatureTypeLifetime as contract, FeatureType } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { featureTypeNotFound, featureTypeOrderingKey } from './feature-type.ts';
import { lockFeatureType, updateLifetimeRow } from './feature-types.repo.ts';

/** As in the public product, 0 days are permanently, which is null. The gateways poll the types with the revisions. */
export async function updateLifetime(
  resources: FlagsResources,
  { id, lifetimeDays: sent }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<FeatureType> {
  const lifetimeDays = sent === 0 ? null : sent;
  return await recordChange(resources, context, async (trx, emit) => {
    const before = await lockFeatureType(trx, id);
    if (before === null) throw featureTypeNotFound(id);
    const after = { ...before, lifetimeDays };
    if (before.lifetimeDays === lifetimeDays) return after;
    await updateLifetimeRow(trx, id, lifetimeDays);
    const events = [{ type: 'feature-type-updated' as const, data: after, preData: before }];
    await emit({ context, orderingKey: featureTypeOrderingKey(id), events });
    return after;
  });
}
