import type { ServedContext } from '@yardarm/shared/bus';
import type { addStrategy as contract, Strategy } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { type FlagsResources, recordChange } from '../changes/record-change.ts';
import { isEnabledIn } from '../environments/feature-environments.repo.ts';
import { lockLiveFeature } from '../features/find-feature.ts';
import { missingEnvironment } from '../features/not-found.ts';
import { insertStrategy, strategiesOf } from './strategies.repo.ts';
import { checkedStrategy, checkRoom, nextSortOrder } from './strategy.ts';

/** Adds a strategy to a flag in an environment, last unless the caller says where. A disabled one changes nothing for SDKs. */
export async function addStrategy(
  parts: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Strategy> {
  const { projectId: project, featureName: name, environment, strategy } = input;
  return await recordChange(parts, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, project, name);
    if ((await isEnabledIn(trx, name, environment)) === null) throw missingEnvironment(project, environment);
    const checked = checkedStrategy(strategy, name);
    const others = await strategiesOf(trx, name);
    checkRoom(checked, environment, others);
    const sortOrder = strategy.sortOrder ?? nextSortOrder(others.filter((other) => other.environment === environment));
    const answer = await insertStrategy(trx, name, environment, { ...checked, sortOrder });
    const events = [{ type: 'feature-strategy-add' as const, environment, data: answer }];
    await emit({ context, feature, events, visibleIn: answer.disabled ? [] : [environment] });
    return answer;
  });
}
