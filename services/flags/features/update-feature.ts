import type { ServedContext } from '@yardarm/shared/bus';
import type { updateFeature as contract, VersionedFeature } from '@yardarm/shared/contracts/flags';
import { badProperty } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, recordChange } from '../changes/record-change.ts';
import { requireOpenProject } from '../places/projects/find-project.ts';
import type { FlagsResources } from '../resources.ts';
import { applyChanges } from './apply-changes.ts';
import { decideChange } from './decide-change.ts';
import { findFeatureTypeIds } from './feature-types/feature-types.repo.ts';
import { deferFindFeatures } from './feature-views.repo.ts';
import { lockFeatures } from './features.repo.ts';
import { requireFeature } from './find-feature.ts';

/** Replaces the changeable properties. An archived flag stays archived unless the document has `archived: false`. */
export async function updateFeature(
  resources: FlagsResources,
  {
    projectId: project,
    featureName: name,
    name: sentName = name,
    archived,
    ...properties
  }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<VersionedFeature> {
  if (sentName !== name) throw badProperty(['name'], sentName, 'should be the name of the flag, which cannot change');
  const found = new Map<string, () => VersionedFeature>();
  await recordChange(resources, context, async (trx, emit) => {
    // A revived flag is added to its project.
    const openProjects = archived === false ? [await requireOpenProject(trx, project)] : [];
    const before = await requireFeature(trx, project, name, (await lockFeatures(trx, [name])).get(name));
    const changed = { ...properties, archived: archived ?? before.archivedAt !== null };
    const change = decideChange(context, before, changed, await findFeatureTypeIds(trx));
    await applyChanges(trx, emit, [change], { ...resources, openProjects });
    deferFindFeatures(trx, [{ featureName: name, userId: actorOf(context).id }], found);
  });
  return found.get(name)!();
}
