import type { Transaction } from '@yardarm/shared/db';
import type { FeatureEvent } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { updateEnabled } from '../../places/environments/feature-environments.repo.ts';
import type { FeatureEnvironmentKey, LockedFeatureEnvironment } from './lock-feature-environment.ts';

/**
 * Switches the flag off in the environment if the strategy, which was removed or disabled, was its last enabled one
 * there. SDKs evaluate a flag without strategies as on for everybody. Returns the event.
 */
export function switchOffWithoutStrategy(
  trx: Transaction<FlagsTables>,
  { featureName, environment }: FeatureEnvironmentKey,
  { isOn, strategies }: LockedFeatureEnvironment,
  removedId: string,
): FeatureEvent[] {
  const isOther = (other: LockedFeatureEnvironment['strategies'][number]) =>
    other.environment === environment && other.id !== removedId && !other.disabled;
  if (!isOn || strategies.some(isOther)) return [];
  updateEnabled(trx, [{ featureName, environment, enabled: false }]);
  return [{ type: 'feature-environment-disabled', environment }];
}
