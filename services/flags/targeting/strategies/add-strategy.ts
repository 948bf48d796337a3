import { randomUUID } from 'node:crypto';
import type { ServedContext } from '@yardarm/shared/bus';
import type { addStrategy as contract, Strategy } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { findDefinitions } from './definitions.repo.ts';
import { lockFeatureEnvironment } from './lock-feature-environment.ts';
import { checkedStrategy, checkLimits, nextSortOrder } from './strategy.ts';
import { insertStrategies } from './whole-strategies.repo.ts';

/**
 * Adds a strategy to a flag in an environment, last unless the caller gives a sort order. SDKs do not see a disabled
 * one.
 */
export async function addStrategy(
  resources: FlagsResources,
  { strategy, ...place }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Strategy> {
  const { projectId: project, featureName: name, environment } = place;
  return await recordChange(resources, context, async (trx, emit) => {
    const { feature, strategies, variantBytes } = await lockFeatureEnvironment(trx, place);
    const definitions = await findDefinitions(trx, [strategy], project);
    const checked = checkedStrategy(strategy, name, resources.limits, definitions);
    checkLimits(checked, environment, strategies, resources.limits, variantBytes);
    const others = strategies.filter((other) => other.environment === environment);
    const sortOrder = strategy.sortOrder ?? nextSortOrder(others);
    const answer = { ...checked, sortOrder, id: randomUUID(), featureName: name };
    await insertStrategies(trx, [{ ...answer, environment }]);
    const events = [{ type: 'feature-strategy-add' as const, environment, data: answer }];
    const { disabled, segments } = answer;
    await emit({ context, feature, events, visibleIn: disabled ? [] : [environment], segments });
    return answer;
  });
}
