import type { ServedContext } from '@yardarm/shared/bus';
import { recordChange } from '../../changes/record-change.ts';
import { requireVersion } from '../../features/feature.ts';
import type { FlagsResources } from '../../resources.ts';
import { type FeatureEnvironmentKey, lockStrategy } from './lock-feature-environment.ts';
import { deleteStrategyRow } from './strategies.repo.ts';
import { switchOffWithoutStrategy } from './switch-off-without-strategy.ts';

/** Removes a strategy. A flag that loses its last enabled strategy in the environment is switched off there. */
export async function deleteStrategy(
  resources: FlagsResources,
  { expectedVersions, ...place }: FeatureEnvironmentKey & { strategyId: string; expectedVersions?: number[] },
  context: ServedContext,
): Promise<void> {
  const { environment } = place;
  await recordChange(resources, context, async (trx, emit) => {
    const locked = await lockStrategy(trx, place);
    const { feature, strategy } = locked;
    requireVersion(feature, expectedVersions);
    await deleteStrategyRow(trx, strategy.id);
    const switched = strategy.disabled ? [] : switchOffWithoutStrategy(trx, place, locked, strategy.id);
    await emit({
      context,
      feature,
      events: [{ type: 'feature-strategy-remove', environment, preData: strategy }, ...switched],
      visibleIn: strategy.disabled ? [] : [environment],
      segments: strategy.segments,
    });
  });
}
