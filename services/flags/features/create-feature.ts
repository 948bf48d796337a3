import type { ServedContext } from '@yardarm/shared/bus';
import type { createFeature as contract, Feature } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, type FlagsResources, recordChange } from '../changes/record-change.ts';
import { findFeatureTypeIds } from '../feature-types/feature-types.repo.ts';
import { checkFeature, distinctTags, toEventData } from './feature.ts';
import { hasProject, insertFeature } from './features.repo.ts';
import { getFeature } from './find-feature.ts';
import { projectNotFound } from './not-found.ts';

/**
 * Makes a flag, off in every environment of its project. The name is taken by any flag of any project, archived ones as well.
 * Tags given here are the flag's from its first event on, which carries them; as with the public product no feature-tagged follows.
 */
export async function createFeature(
  parts: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Feature> {
  const { projectId: project, tags, ...properties } = input;
  return await recordChange(parts, async (trx, emit) => {
    if (!(await hasProject(trx, project))) throw projectNotFound(project);
    checkFeature(input, await findFeatureTypeIds(trx));
    const created = { ...properties, project, createdByUserId: actorOf(context).id };
    const feature = await insertFeature(trx, created, distinctTags(tags));
    if (!feature)
      throw new AppError('name-exists', `There is already a feature called ${redactValue(input.name, [])}.`);
    const events = [{ type: 'feature-created' as const, data: toEventData(feature) }];
    await emit({ context, feature, events, visibleIn: 'all' });
    return await getFeature(trx, project, feature.name);
  });
}
