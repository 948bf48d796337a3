import type { ServedContext } from '@yardarm/shared/bus';
import type { updateFeature as contract, VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { actorOf, recordChange } from '../changes/record-change.ts';
import { findFeatureTypeIds } from '../feature-types/feature-types.repo.ts';
import { requireOpenProject } from '../projects/find-project.ts';
import type { FlagsResources } from '../resources.ts';
import { draftOf } from './draft.ts';
import { deferFindFeatures } from './feature-views.repo.ts';
import { lockFeatures } from './features.repo.ts';
import { requireFeature } from './find-feature.ts';
import { writeDrafts } from './write-drafts.ts';

/**
 * Replaces the changeable properties. Only a document with `archived: false` finds an archived flag, and revives it.
 */
export async function updateFeature(
  resources: FlagsResources,
  { projectId: project, featureName: name, archived, ...properties }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<VersionedFeature> {
  const found = new Map<string, () => VersionedFeature>();
  await recordChange(resources, async (trx, emit) => {
    // A revived flag is added to its project.
    const openProjects = archived === false ? [await requireOpenProject(trx, project)] : [];
    const before = await requireFeature(trx, project, name, (await lockFeatures(trx, [name])).get(name));
    const changed = { ...properties, archived: archived ?? before.archivedAt !== null };
    const draft = draftOf(context, before, changed, await findFeatureTypeIds(trx));
    await writeDrafts(trx, emit, [draft], { ...resources, openProjects });
    deferFindFeatures(trx, [{ featureName: name, userId: actorOf(context).id }], found);
  });
  return found.get(name)!();
}
