import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { NewStrategy, Strategy, updateStrategy as updateContract } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { z } from 'zod';
import { type Emit, recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { PatchOperation } from '../../features/json-patch.ts';
import type { Limits } from '../../places/limits/limits.ts';
import type { FlagsResources } from '../../resources.ts';
import { findDefinitions } from './definitions.repo.ts';
import { type FeatureEnvironmentKey, type LockedFeatureEnvironment, lockStrategy } from './lock-feature-environment.ts';
import { patchedStrategy } from './patched-strategy.ts';
import { updateStrategyRow } from './strategies.repo.ts';
import { checkedStrategy, checkLimits, visibleOrder } from './strategy.ts';
import { switchOffWithoutStrategy } from './switch-off-without-strategy.ts';

type OneStrategy = FeatureEnvironmentKey & { strategyId: string };

/** Name, title, state, sort order and segments stay when they are absent. Everything else is replaced. */
export async function updateStrategy(
  resources: FlagsResources,
  { strategy, ...place }: z.output<typeof updateContract.input>,
  context: ServedContext,
): Promise<Strategy> {
  return await changeStrategy(resources, place, context, (before) => {
    const { name, title, disabled, sortOrder, segments } = before;
    const sent = Object.entries(strategy).filter(([, value]) => value !== undefined);
    return { ...strategy, name, title, disabled, sortOrder, segments, ...Object.fromEntries(sent) };
  });
}

/** Changes a strategy by a JSON Patch, whole or not at all. */
export async function patchStrategy(
  resources: FlagsResources,
  { operations, ...place }: OneStrategy & { operations: PatchOperation[] },
  context: ServedContext,
): Promise<Strategy> {
  return await changeStrategy(resources, place, context, (before) => patchedStrategy(before, operations));
}

type Change = (before: Strategy) => NewStrategy;

/** Replaces a strategy of a flag by the result of `change`, in a transaction of its own. */
export async function changeStrategy(
  resources: FlagsResources,
  place: OneStrategy,
  context: ServedContext,
  change: Change,
): Promise<Strategy> {
  const { limits } = resources;
  return await recordChange(resources, context, async (trx, emit) => {
    const { after } = await changeOneStrategy(trx, emit, { place, context, limits, change });
    return after;
  });
}

/**
 * Replaces a strategy of a flag by the result of `change`. The same strategy changes nothing. A flag whose last enabled
 * strategy in the environment becomes disabled is switched off there.
 */
export async function changeOneStrategy(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  { place, context, limits, change }: { place: OneStrategy; context: ServedContext; limits: Limits; change: Change },
): Promise<{ before: Strategy; after: Strategy }> {
  const { projectId: project, environment } = place;
  const locked = await lockStrategy(trx, place);
  const { feature, strategy: before } = locked;
  const changed = change(before);
  const { id, featureName } = before;
  const checked = checkedStrategy(changed, featureName, limits, await findDefinitions(trx, [changed], project));
  if (keepsParameters(before, changed)) checked.parameters = before.parameters;
  const after: Strategy = { id, featureName, sortOrder: changed.sortOrder ?? before.sortOrder, ...checked };
  if (isDeepStrictEqual(before, after)) return { before, after };

  const others = locked.strategies.filter((other) => other.id !== id);
  checkLimits(checked, environment, others, limits, locked.variantBytes);
  await updateStrategyRow(trx, after);
  const isDisabled = after.disabled && !before.disabled;
  const switched = isDisabled ? switchOffWithoutStrategy(trx, place, locked, id) : [];
  await emit({
    context,
    feature,
    events: [{ type: 'feature-strategy-update', environment, data: after, preData: before }, ...switched],
    visibleIn: isVisible(before, after, locked, environment) ? [environment] : [],
    segments: [...new Set([...before.segments, ...after.segments])],
  });
  return { before, after };
}

/** SDKs read a rollout without a percentage as off, and its default is everybody: a new title must not switch it on. */
function keepsParameters(before: Strategy, { name, parameters }: NewStrategy): boolean {
  return name === before.name && isDeepStrictEqual(parameters, before.parameters);
}

/** Whether SDKs see the change. They see no disabled strategy, and of a sort order only the order of the strategies. */
function isVisible(
  before: Strategy,
  after: Strategy,
  { strategies }: LockedFeatureEnvironment,
  environment: string,
): boolean {
  const { sortOrder, disabled } = after;
  if (before.disabled && disabled) return false;
  if (!isDeepStrictEqual({ ...before, sortOrder }, after)) return true;
  const present = strategies.filter((other) => other.environment === environment);
  const changed = present.map((other) => (other.id === after.id ? { ...other, sortOrder } : other));
  return visibleOrder(present) !== visibleOrder(changed);
}
