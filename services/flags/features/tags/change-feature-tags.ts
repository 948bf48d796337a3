import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { updateTagsOfFeatures as bulkContract, coloredTagSchema, Tag } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, recordChange } from '../../changes/record-change.ts';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { featureNotFound, unknownFeature } from '../feature.ts';
import { lockFeatures } from '../features.repo.ts';
import { changeTags, type TagChanges } from './change-tags.ts';
import { findFeatureTags } from './feature-tags.repo.ts';

export async function addFeatureTag(
  resources: FlagsResources,
  { featureName, type, value }: { featureName: string } & Tag,
  context: ServedContext,
): Promise<Tag> {
  await changeTagsOf(resources, featureName, { addedTags: [{ type, value }], removedTags: [] }, context);
  return { type, value };
}

export async function updateFeatureTags(
  resources: FlagsResources,
  { featureName, ...changes }: { featureName: string } & TagChanges,
  context: ServedContext,
): Promise<{ tags: z.output<typeof coloredTagSchema>[] }> {
  return { tags: await changeTagsOf(resources, featureName, changes, context) };
}

/** The removal of a tag that the flag does not have changes nothing. */
export async function removeFeatureTag(
  resources: FlagsResources,
  { featureName, type, value }: { featureName: string } & Tag,
  context: ServedContext,
): Promise<void> {
  await changeTagsOf(resources, featureName, { addedTags: [], removedTags: [{ type, value }] }, context);
}

/** The flag's project decides whether the caller may change it, because the path does not name a project. */
async function changeTagsOf(
  resources: FlagsResources,
  name: string,
  changes: TagChanges,
  context: ServedContext,
): Promise<z.output<typeof coloredTagSchema>[]> {
  return await recordChange(resources, context, async (trx, emit) => {
    const feature = (await lockFeatures(trx, [name])).get(name);
    if (!feature) throw unknownFeature(name);
    requirePermission(actorOf(context), 'UPDATE_FEATURE', { project: feature.project });
    if (feature.archivedAt !== null) throw featureNotFound(name, feature.project);
    await changeTags(trx, emit, context, [feature], changes);
    return (await findFeatureTags(trx, name)) ?? [];
  });
}

/** Changes the tags of all these flags or of none. Each of them is in the project and not archived. */
export async function updateTagsOfFeatures(
  resources: FlagsResources,
  { projectId: project, features: names, tags }: z.output<typeof bulkContract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    if (!(await hasProject(trx, project))) throw projectNotFound(project);
    const found = await lockFeatures(trx, names);
    for (const name of names) {
      const feature = found.get(name);
      if (feature?.project === project && feature.archivedAt === null) continue;
      const sent = redactValue(name, []);
      throw new AppError(
        'bad-data',
        `The .features property should have names of flags of the project that are not archived. You sent ${sent}.`,
      );
    }
    await changeTags(trx, emit, context, [...found.values()], tags);
  });
}
