import { isDeepStrictEqual } from 'node:util';
import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type {
  replaceVariantsInEnvironments as batchContract,
  NewVariant,
  patchVariants as patchContract,
  replaceVariants as replaceContract,
  Variant,
} from '@yardarm/shared/contracts/flags';
import { badProperty } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, recordChange } from '../../changes/record-change.ts';
import { lockLiveFeature } from '../../features/find-feature.ts';
import { environmentNotFound } from '../../places/environments/environment.ts';
import type { FlagsResources } from '../../resources.ts';
import { requireStrategyBytes } from '../strategies/strategy.ts';
import { patchedVariants } from './patched-variants.ts';
import { checkedVariants } from './variant.ts';
import { findFeatureBytes, findVariantsIn, updateVariants } from './variants.repo.ts';

interface Answer {
  variants: Variant[];
}

interface FeatureEnvironments {
  project: string;
  featureName: string;
  environments: readonly string[];
}

export async function replaceVariants(
  resources: FlagsResources,
  { projectId: project, featureName, environment, variants }: z.output<typeof replaceContract.input>,
  context: ServedContext,
): Promise<Answer> {
  return await changeVariants(resources, { project, featureName, environments: [environment] }, context, (before) => {
    if (!before.has(environment)) throw environmentNotFound(environment, project);
    return variants;
  });
}

export async function patchVariants(
  resources: FlagsResources,
  { projectId: project, featureName, environment, operations }: z.output<typeof patchContract.input>,
  context: ServedContext,
): Promise<Answer> {
  return await changeVariants(resources, { project, featureName, environments: [environment] }, context, (before) => {
    const present = before.get(environment);
    if (!present) throw environmentNotFound(environment, project);
    return patchedVariants(present, operations);
  });
}

export async function replaceVariantsInEnvironments(
  resources: FlagsResources,
  { projectId: project, featureName, environments, variants }: z.output<typeof batchContract.input>,
  context: ServedContext,
): Promise<Answer> {
  for (const environment of environments) {
    requirePermission(actorOf(context), 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS', { project, environment });
  }
  return await changeVariants(resources, { project, featureName, environments }, context, (before) => {
    const index = environments.findIndex((environment) => !before.has(environment));
    if (index < 0) return variants;
    const words = `should be an environment of the project ${project}`;
    throw badProperty(['environments', index], environments[index], words);
  });
}

/**
 * Gives a flag variants that `decide` returns for the present ones, by environment. Each environment whose variants
 * differ from the new ones has an event.
 */
async function changeVariants(
  resources: FlagsResources,
  { project, featureName, environments }: FeatureEnvironments,
  context: ServedContext,
  decide: (before: ReadonlyMap<string, Variant[]>) => NewVariant[],
): Promise<Answer> {
  return await recordChange(resources, context, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, project, featureName);
    const before = await findVariantsIn(trx, featureName, environments);
    const variants = checkedVariants(decide(before));
    const changed = [...before].filter(([, present]) => !isDeepStrictEqual(present, variants));
    if (changed.length === 0) return { variants };

    const visibleIn = changed.map(([environment]) => environment);
    await updateVariants(trx, featureName, visibleIn, variants);
    requireStrategyBytes(await findFeatureBytes(trx, featureName));
    const events = changed.map(([environment, present]) => ({
      type: 'feature-environment-variants-updated' as const,
      ...{ environment, data: { variants }, preData: { variants: present } },
    }));
    await emit({ context, feature, events, visibleIn });
    return { variants };
  });
}
