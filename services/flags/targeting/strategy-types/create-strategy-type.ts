import type { ServedContext } from '@yardarm/shared/bus';
import type { createStrategyType as contract, StrategyType } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import { requireRoom } from '../../places/limits/room.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { isBuiltIn } from '../strategies/known-strategies.ts';
import { strategyTypeEventData, strategyTypeExists, strategyTypeOrderingKey, toStrategyType } from './strategy-type.ts';
import { insertStrategyType } from './strategy-types.repo.ts';

/** Makes a custom type of strategies. A built-in type has its name too. */
export async function createStrategyType(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<StrategyType> {
  const { name } = input;
  return await recordChange(resources, context, async (trx, emit) => {
    const type = { ...input, deprecated: false };
    if (isBuiltIn(name) || !(await insertStrategyType(trx, type))) throw strategyTypeExists(name);
    await requireRoom(trx, 'strategy types');
    const events = [{ type: 'strategy-created' as const, data: strategyTypeEventData(type) }];
    await emit({ context, orderingKey: strategyTypeOrderingKey(name), events });
    return toStrategyType(type);
  });
}
