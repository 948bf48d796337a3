import type { ServedContext } from '@yardarm/shared/bus';
import type { switchEnvironment as contract, Feature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { type FeatureEvent, type FlagsResources, recordChange } from '../changes/record-change.ts';
import { getFeature, lockLiveFeature } from '../features/find-feature.ts';
import { missingEnvironment } from '../features/not-found.ts';
import { insertStrategy, strategiesOf } from '../strategies/strategies.repo.ts';
import { checkedStrategy, defaultStrategy, nextSortOrder } from '../strategies/strategy.ts';
import { isEnabledIn, setEnabled } from './feature-environments.repo.ts';

/**
 * Switches a flag on or off in an environment; to the state it is in changes nothing. On without a strategy that SDKs would get
 * adds the default one, with an event of its own: SDKs take a flag without strategies for on for everybody, and what the flag does
 * should stand where people look.
 */
export async function switchEnvironment(
  parts: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Feature> {
  const { projectId: project, featureName: name, environment, enabled } = input;
  return await recordChange(parts, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, project, name);
    const isEnabled = await isEnabledIn(trx, name, environment);
    if (isEnabled === null) throw missingEnvironment(project, environment);
    if (isEnabled === enabled) return await getFeature(trx, project, name);

    const events: FeatureEvent[] = [];
    const strategies = enabled ? await strategiesOf(trx, name, environment) : [];
    if (enabled && strategies.every(({ disabled }) => disabled)) {
      const added = { ...checkedStrategy(defaultStrategy, name), sortOrder: nextSortOrder(strategies) };
      const data = await insertStrategy(trx, name, environment, added);
      events.push({ type: 'feature-strategy-add', environment, data });
    }
    await setEnabled(trx, name, environment, enabled);
    events.push({ type: enabled ? 'feature-environment-enabled' : 'feature-environment-disabled', environment });
    await emit({ context, feature, events, visibleIn: [environment] });
    return await getFeature(trx, project, name);
  });
}
