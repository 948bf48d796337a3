import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { addDependency as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { featureNotFound } from '../feature.ts';
import { lockFeatures } from '../features.repo.ts';
import { requireFeature } from '../find-feature.ts';
import { deleteDependencyRows, findFamily, insertDependency } from './dependencies.repo.ts';
import { requestedParents, requireOneLevel, requireParent } from './dependency.ts';

/**
 * Makes a flag depend on the parents of the request and on no others. The flag and the parents are locked, so that two
 * requests cannot make a second level or a cycle together, and no parent is archived meanwhile.
 */
export async function addDependency(
  resources: FlagsResources,
  { projectId: project, child, ...request }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  const wanted = requestedParents(request);
  const names = wanted.map(({ feature }) => feature);
  await recordChange(resources, context, async (trx, emit) => {
    const features = await lockFeatures(trx, [child, ...names]);
    const feature = await requireFeature(trx, project, child, features.get(child));
    if (feature.archivedAt !== null) throw featureNotFound(child, project);
    for (const name of names) requireParent(feature, features.get(name), name);

    const family = await findFamily(trx, child, names);
    requireOneLevel(child, family);
    const present = new Map(family.parents.map((parent) => [parent.feature, parent]));
    const changed = wanted.filter((parent) => !isDeepStrictEqual(present.get(parent.feature), parent));
    const replaced = family.parents.filter((parent) => !names.includes(parent.feature));
    if (changed.length + replaced.length === 0) return;

    for (const parent of replaced) await deleteDependencyRows(trx, child, parent.feature);
    for (const parent of changed) await insertDependency(trx, child, parent);
    const events = [
      ...replaced.map((parent) => ({ type: 'feature-dependency-removed' as const, preData: { ...parent } })),
      ...changed.map((parent) => {
        const before = present.get(parent.feature);
        return {
          type: 'feature-dependency-added' as const,
          data: { ...parent },
          preData: before ? { ...before } : null,
        };
      }),
    ];
    await emit({ context, feature, events, visibleIn: 'all' });
  });
}
