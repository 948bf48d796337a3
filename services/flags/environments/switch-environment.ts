import type { ServedContext } from '@yardarm/shared/bus';
import type { switchEnvironment as contract, VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { type FeatureEvent, recordChange } from '../changes/record-change.ts';
import { lockLiveFeature, requireFeatureView } from '../features/find-feature.ts';
import type { FlagsResources } from '../resources.ts';
import { findStrategies, insertStrategy } from '../strategies/strategies.repo.ts';
import { checkedStrategy, defaultStrategy, nextSortOrder } from '../strategies/strategy.ts';
import { environmentNotFound } from './environment.ts';
import { findEnabled, updateEnabled } from './feature-environments.repo.ts';

/**
 * Switches a flag on or off in an environment. A switch to the present state changes nothing. A flag that is switched
 * on without an enabled strategy gets the default strategy, with an event: SDKs evaluate a flag without strategies as
 * on for everybody, and the default strategy makes that visible.
 */
export async function switchEnvironment(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<VersionedFeature> {
  const { projectId: project, featureName: name, environment, enabled } = input;
  return await recordChange(resources, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, project, name);
    const isEnabled = await findEnabled(trx, name, environment);
    if (isEnabled === null) throw environmentNotFound(environment, project);
    if (isEnabled === enabled) return await requireFeatureView(trx, project, name, context);

    const events: FeatureEvent[] = [];
    const strategies = enabled ? await findStrategies(trx, name, environment) : [];
    if (enabled && strategies.every(({ disabled }) => disabled)) {
      const added = {
        ...checkedStrategy(defaultStrategy, name, resources.limits),
        sortOrder: nextSortOrder(strategies),
      };
      const data = await insertStrategy(trx, name, environment, added);
      events.push({ type: 'feature-strategy-add', environment, data });
    }
    await updateEnabled(trx, name, environment, enabled);
    events.push({ type: enabled ? 'feature-environment-enabled' : 'feature-environment-disabled', environment });
    await emit({ context, feature, events, visibleIn: [environment] });
    return await requireFeatureView(trx, project, name, context);
  });
}
