import type { ServedContext } from '@yardarm/shared/bus';
import type { setStrategyOrder as contract } from '@yardarm/shared/contracts/flags';
import { badProperty, throwFirst } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { lockFeatureEnvironment } from './lock-feature-environment.ts';
import { findStrategies, type StrategyOutline, updateSortOrders } from './strategies.repo.ts';
import { errorsOfSortOrder, visibleOrder } from './strategy.ts';

const idsOf = (strategies: readonly StrategyOutline[]) => strategies.map(({ id }) => id);

/** Sets the sort order of some strategies of a flag. SDKs see it if the enabled ones have another order. */
export async function setStrategyOrder(
  resources: FlagsResources,
  { order, ...place }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  const { featureName, environment } = place;
  await recordChange(resources, context, async (trx, emit) => {
    const { feature, strategies } = await lockFeatureEnvironment(trx, place);
    const before = strategies.filter((strategy) => strategy.environment === environment);
    const known = new Map(before.map(({ id, sortOrder }) => [id, sortOrder]));
    for (const [index, { id, sortOrder }] of order.entries()) {
      if (!known.has(id)) throw badProperty([index, 'id'], id, 'names no strategy of the flag there');
      throwFirst(errorsOfSortOrder(sortOrder, [index, 'sortOrder']));
    }
    const last = new Map(order.map(({ id, sortOrder }) => [id, sortOrder]));
    const changed = [...last].filter(([id, sortOrder]) => known.get(id) !== sortOrder);
    if (changed.length === 0) return;

    await updateSortOrders(
      trx,
      changed.map(([id, sortOrder]) => ({ id, sortOrder })),
    );
    const after = await findStrategies(trx, featureName, environment);
    const [data, preData] = [{ strategyIds: idsOf(after) }, { strategyIds: idsOf(before) }];
    await emit({
      context,
      feature,
      events: [{ type: 'strategy-order-changed', environment, data, preData }],
      visibleIn: visibleOrder(before) === visibleOrder(after) ? [] : [environment],
    });
  });
}
