import type { ServedContext } from '@yardarm/shared/bus';
import type { createFeature as contract, Feature } from '@yardarm/shared/contracts/flags';
import { AppError, shownValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, type FlagsParts, recordChange, tell } from '../changes/record-change.ts';
import { readFeatureTypeIds } from '../feature-types/feature-types.repo.ts';
import { checkFeature, distinctTags, featureAsEventData } from './feature.ts';
import { hasProject, insertFeature } from './features.repo.ts';
import { foundFeatureView } from './find-feature.ts';
import { missingProject } from './missing.ts';

/**
 * Makes a flag, off in every environment of its project. The name is taken by any flag of any project, archived ones as well.
 * Tags given here are the flag's from its first event on, which carries them; as with the public product no feature-tagged follows.
 */
export async function createFeature(
  parts: FlagsParts,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Feature> {
  const { projectId: project, name, type, description, impressionData } = input;
  return await recordChange(parts, async (trx) => {
    if (!(await hasProject(trx, project))) throw missingProject(project);
    checkFeature(input, await readFeatureTypeIds(trx));
    const tags = distinctTags(input.tags);
    const createdByUserId = actorOf(context).id;
    const asked = { name, project, type, description, impressionData, tags, createdByUserId };
    const feature = await insertFeature(trx, asked);
    if (!feature) throw new AppError('name-exists', `There is already a feature called ${shownValue(name, [])}.`);
    await tell(trx, [{ context, feature, events: [{ type: 'feature-created', data: featureAsEventData(feature) }] }]);
    const answer = await foundFeatureView(trx, project, name);
    return { answer, visible: [{ featureName: name, environment: null, isRemoved: false }] };
  });
}
