import type { ServedContext } from '@yardarm/shared/bus';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import {
  requireCustomType,
  strategyTypeInUse,
  strategyTypeNotFound,
  strategyTypeOrderingKey,
} from './strategy-type.ts';
import { deleteStrategyTypeRow, findFeaturesWithType, lockStrategyType } from './strategy-types.repo.ts';

/** Deletes a custom type that no strategy has, also none of an archived flag, which could be revived. */
export async function deleteStrategyType(
  resources: FlagsResources,
  { name }: { name: string },
  context: ServedContext,
): Promise<void> {
  requireCustomType(name);
  await recordChange(resources, context, async (trx, emit) => {
    if ((await lockStrategyType(trx, name, 'delete')) === null) throw strategyTypeNotFound(name);
    const features = await findFeaturesWithType(trx, name);
    if (features.length > 0) throw strategyTypeInUse(name, features);
    await deleteStrategyTypeRow(trx, name);
    const events = [{ type: 'strategy-deleted' as const, data: { name } }];
    await emit({ context, orderingKey: strategyTypeOrderingKey(name), events });
  });
}
