import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { updateStrategyType as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import { hasGrown, requireRoom } from '../../places/limits/room.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import {
  requireCustomType,
  type StoredStrategyType,
  strategyTypeEventData,
  strategyTypeNotFound,
  strategyTypeOrderingKey,
} from './strategy-type.ts';
import { lockStrategyType, updateStrategyTypeRow } from './strategy-types.repo.ts';

/** Changes a custom type. Strategies that have it already stay as they are until they are changed themselves. */
export async function updateStrategyType(
  resources: FlagsResources,
  { name, title, description, parameters }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await changeStrategyType(resources, name, context, 'strategy-updated', (before) => ({
    ...before,
    title: title === undefined ? before.title : title,
    description: description === undefined ? before.description : description,
    parameters,
  }));
}

/** The public product's UI offers no deprecated type for a new strategy. The API accepts one. */
export async function setStrategyTypeDeprecated(
  resources: FlagsResources,
  { strategyName, deprecated }: { strategyName: string; deprecated: boolean },
  context: ServedContext,
): Promise<void> {
  const event = deprecated ? 'strategy-deprecated' : 'strategy-reactivated';
  await changeStrategyType(resources, strategyName, context, event, (before) => ({ ...before, deprecated }));
}

async function changeStrategyType(
  resources: FlagsResources,
  name: string,
  context: ServedContext,
  event: 'strategy-updated' | 'strategy-deprecated' | 'strategy-reactivated',
  change: (before: StoredStrategyType) => StoredStrategyType,
): Promise<void> {
  requireCustomType(name);
  await recordChange(resources, context, async (trx, emit) => {
    const before = await lockStrategyType(trx, name, 'change');
    if (before === null) throw strategyTypeNotFound(name);
    const after = change(before);
    if (isDeepStrictEqual(before, after)) return;
    await updateStrategyTypeRow(trx, after);
    if (event === 'strategy-updated' && hasGrown(before, after)) await requireRoom(trx, 'strategy types');
    const [data, preData] = [strategyTypeEventData(after), strategyTypeEventData(before)];
    const events = [event === 'strategy-updated' ? { type: event, data, preData } : { type: event, data: { name } }];
    await emit({ context, orderingKey: strategyTypeOrderingKey(name), events });
  });
}
