import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { addDependency as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { featureNotFound } from '../feature.ts';
import { lockFeatures } from '../features.repo.ts';
import { requireFeature } from '../find-feature.ts';
import { findFamily, insertDependency } from './dependencies.repo.ts';
import { requireOneLevel, requireParent } from './dependency.ts';

/**
 * Makes a flag depend on another, or changes what it depends on there. Both flags are locked, so that two requests
 * cannot make a second level or a cycle together, and the parent is not archived meanwhile.
 */
export async function addDependency(
  resources: FlagsResources,
  { projectId: project, child, feature: parent, enabled, variants }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const features = await lockFeatures(trx, [child, parent]);
    const feature = await requireFeature(trx, project, child, features.get(child));
    if (feature.archivedAt !== null) throw featureNotFound(child, project);
    requireParent(feature, features.get(parent), parent);

    const dependency = { feature: parent, enabled, variants };
    const family = await findFamily(trx, child, parent);
    requireOneLevel(child, dependency, family);
    const before = family.parents.find((present) => present.feature === parent) ?? null;
    if (isDeepStrictEqual(before, dependency)) return;

    await insertDependency(trx, child, dependency);
    const preData = before && { ...before };
    const events = [{ type: 'feature-dependency-added' as const, data: dependency, preData }];
    await emit({ context, feature, events, visibleIn: 'all' });
  });
}
