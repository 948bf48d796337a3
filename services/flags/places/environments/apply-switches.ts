import type { ServedContext } from '@yardarm/shared/bus';
import type { Transaction } from '@yardarm/shared/db';
import type { Emit, FeatureEvent } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { StoredFeature } from '../../features/feature.ts';
import { addDefaultStrategies } from '../../targeting/strategies/add-default-strategies.ts';
import { activateStrategies } from '../../targeting/strategies/whole-strategies.repo.ts';
import type { Limits } from '../limits/limits.ts';
import { updateEnabled } from './feature-environments.repo.ts';

/** A switch to another state than the present one. */
export interface ChangingSwitch {
  feature: StoredFeature;
  environment: string;
  enabled: boolean;
  shouldActivateDisabledStrategies: boolean;
  context: ServedContext;
}

/**
 * Switches flags whose rows the caller has locked, each in one environment, in few statements. A flag that is switched
 * on may get its disabled strategies enabled first. Without an enabled strategy it gets the default strategy of its
 * project, with an event: SDKs evaluate a flag without strategies as on for everybody, and the default strategy makes
 * that visible.
 */
export async function applySwitches(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  switches: readonly ChangingSwitch[],
  limits: Limits,
): Promise<void> {
  if (switches.length === 0) return;
  const placeOf = ({ feature, environment }: ChangingSwitch) => ({
    ...{ featureName: feature.name, project: feature.project, environment },
  });
  const activating = switches.filter(({ enabled, shouldActivateDisabledStrategies: should }) => enabled && should);
  const activated = Map.groupBy(
    await activateStrategies(trx, activating.map(placeOf)),
    ({ featureName }) => featureName,
  );
  const added = await addDefaultStrategies(trx, switches.filter(({ enabled }) => enabled).map(placeOf), limits, {
    // One caller that no longer waits ends nothing for the others.
    deadline: Math.max(...switches.map(({ context }) => context.deadline)),
  });
  updateEnabled(
    trx,
    switches.map((one) => ({ ...placeOf(one), enabled: one.enabled })),
  );
  await emit(
    ...switches.map(({ feature, environment, enabled, context }) => {
      const own = activated.get(feature.name) ?? [];
      const events: FeatureEvent[] = own.map((data) => ({
        ...{ type: 'feature-strategy-update', environment, data, preData: { ...data, disabled: true } },
      }));
      const data = added.get(feature.name);
      if (data) events.push({ type: 'feature-strategy-add', environment, data: { ...data } });
      events.push({ type: enabled ? 'feature-environment-enabled' : 'feature-environment-disabled', environment });
      const strategies = [...own, ...(data ? [data] : [])];
      return {
        context,
        feature,
        events,
        visibleIn: [environment],
        // The state of a flag is no part of its size.
        growth: strategies.length === 0 ? 0 : undefined,
        segments: strategies.flatMap((strategy) => strategy.segments),
      };
    }),
  );
}
