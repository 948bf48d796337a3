import type { ServedContext } from '@yardarm/shared/bus';
import type { switchFeatures as contract } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { z } from 'zod';
import { type Emit, recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { featureArchived, type StoredFeature } from '../../features/feature.ts';
import { lockFeatures } from '../../features/features.repo.ts';
import { requireFeature } from '../../features/find-feature.ts';
import type { FlagsResources } from '../../resources.ts';
import type { Limits } from '../limits/limits.ts';
import { applySwitches, type ChangingSwitch } from './apply-switches.ts';
import { environmentNotFound } from './environment.ts';
import { findEnabled } from './feature-environments.repo.ts';

/** Unlike the other operations on many flags, one unknown or archived name refuses all, as in the public product. */
export async function switchFeatures(
  resources: FlagsResources,
  { projectId: project, features: names, ...how }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const locked = await lockFeatures(trx, names);
    const features: StoredFeature[] = [];
    for (const name of new Set(names)) {
      const feature = await requireFeature(trx, project, name, locked.get(name));
      if (feature.archivedAt !== null) throw featureArchived(name);
      features.push(feature);
    }
    await switchLocked(trx, emit, { features, ...how, context, limits: resources.limits });
  });
}

/**
 * Switches flags of a project whose rows the caller has locked. A switch to the present state changes nothing. Returns
 * the number of flags that changed.
 */
export async function switchLocked(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  {
    features,
    limits,
    ...how
  }: { features: readonly StoredFeature[]; limits: Limits } & Omit<ChangingSwitch, 'feature'>,
): Promise<number> {
  const { environment, enabled } = how;
  const states = await findEnabled(
    trx,
    features.map(({ name }) => ({ featureName: name, environment })),
  );
  // The flags of a project are in the same environments.
  const [first] = features;
  if (first && states.size < features.length) throw environmentNotFound(environment, first.project);
  const switches = features.filter(({ name }) => states.get(name) !== enabled).map((feature) => ({ feature, ...how }));
  await applySwitches(trx, emit, switches, limits);
  return switches.length;
}
