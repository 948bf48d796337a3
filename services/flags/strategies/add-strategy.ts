import type { ServedContext } from '@yardarm/shared/bus';
import type { addStrategy as contract, Strategy } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../changes/record-change.ts';
import { environmentNotFound } from '../environments/environment.ts';
import { findEnabled } from '../environments/feature-environments.repo.ts';
import { lockLiveFeature } from '../features/find-feature.ts';
import type { FlagsResources } from '../resources.ts';
import { findStrategies, insertStrategy } from './strategies.repo.ts';
import { checkedStrategy, checkLimits, nextSortOrder } from './strategy.ts';

/**
 * Adds a strategy to a flag in an environment, last unless the caller gives a sort order. SDKs do not see a disabled
 * one.
 */
export async function addStrategy(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Strategy> {
  const { projectId: project, featureName: name, environment, strategy } = input;
  return await recordChange(resources, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, project, name);
    if ((await findEnabled(trx, name, environment)) === null) throw environmentNotFound(environment, project);
    const checked = checkedStrategy(strategy, name, resources.limits);
    const others = await findStrategies(trx, name);
    checkLimits(checked, environment, others, resources.limits);
    const sortOrder = strategy.sortOrder ?? nextSortOrder(others.filter((other) => other.environment === environment));
    const answer = await insertStrategy(trx, name, environment, { ...checked, sortOrder });
    const events = [{ type: 'feature-strategy-add' as const, environment, data: answer }];
    await emit({ context, feature, events, visibleIn: answer.disabled ? [] : [environment] });
    return answer;
  });
}
