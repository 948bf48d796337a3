import type { ServedContext } from '@yardarm/shared/bus';
import type { switchFeatures as contract, Strategy } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { z } from 'zod';
import { type Emit, type FeatureEvent, recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { featureNotFound, type StoredFeature } from '../../features/feature.ts';
import { lockFeatures } from '../../features/features.repo.ts';
import { requireFeature } from '../../features/find-feature.ts';
import type { FlagsResources } from '../../resources.ts';
import { addDefaultStrategies } from '../../targeting/strategies/add-default-strategies.ts';
import { activateStrategies } from '../../targeting/strategies/whole-strategies.repo.ts';
import type { Limits } from '../limits/limits.ts';
import { environmentNotFound } from './environment.ts';
import { findEnabledByFeature, updateEnabled } from './feature-environments.repo.ts';

/** Unlike the other operations on many flags, one unknown name refuses the whole request, as in the public product. */
export async function switchFeatures(
  resources: FlagsResources,
  { projectId: project, environment, features: names, ...how }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const locked = await lockFeatures(trx, names);
    const features: StoredFeature[] = [];
    for (const name of new Set(names)) {
      const feature = await requireFeature(trx, project, name, locked.get(name));
      if (feature.archivedAt !== null) throw featureNotFound(name, project);
      features.push(feature);
    }
    await switchLocked(trx, emit, { features, environment, ...how, context, limits: resources.limits });
  });
}

/**
 * Switches flags of a project whose rows the caller has locked. A switch to the present state changes nothing. A flag
 * that is switched on may get its disabled strategies enabled first. Without an enabled strategy it gets the default
 * strategy of its project, with an event: SDKs evaluate a flag without strategies as on for everybody, and the
 * default strategy makes that visible. Returns the number of flags that changed.
 */
export async function switchLocked(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  request: {
    features: readonly StoredFeature[];
    environment: string;
    enabled: boolean;
    shouldActivateDisabledStrategies: boolean;
    context: ServedContext;
    limits: Limits;
  },
): Promise<number> {
  const { environment, enabled, context, limits } = request;
  const [first] = request.features;
  if (first === undefined) return 0;
  const asked = request.features.map(({ name }) => name);
  const states = await findEnabledByFeature(trx, asked, environment);
  // The flags of a project are in the same environments.
  if (states.size < asked.length) throw environmentNotFound(environment, first.project);
  const features = request.features.filter(({ name }) => states.get(name) !== enabled);
  if (features.length === 0) return 0;

  const names = features.map(({ name }) => name);
  const shouldActivate = enabled && request.shouldActivateDisabledStrategies;
  const activated = shouldActivate
    ? Map.groupBy(await activateStrategies(trx, names, environment), ({ featureName }) => featureName)
    : new Map<string, Strategy[]>();
  const added = enabled
    ? await addDefaultStrategies(trx, { project: first.project, names, environment }, limits, context)
    : new Map<string, Strategy>();
  await updateEnabled(trx, names, environment, enabled);
  await emit(
    ...features.map((feature) => {
      const own = activated.get(feature.name) ?? [];
      const events: FeatureEvent[] = own.map((data) => ({
        ...{ type: 'feature-strategy-update', environment, data, preData: { ...data, disabled: true } },
      }));
      const data = added.get(feature.name);
      if (data) events.push({ type: 'feature-strategy-add', environment, data: { ...data } });
      events.push({ type: enabled ? 'feature-environment-enabled' : 'feature-environment-disabled', environment });
      return {
        context,
        feature,
        events,
        visibleIn: [environment],
        segments: [...own, ...(data ? [data] : [])].flatMap((strategy) => strategy.segments),
      };
    }),
  );
  return features.length;
}
