import type { ServedContext } from '@yardarm/shared/bus';
import type { createFeature as contract, Feature } from '@yardarm/shared/contracts/flags';
import { AppError, shownValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, type FlagsParts, recordChange, tell } from '../changes/record-change.ts';
import { readFeatureTypeIds } from '../feature-types/feature-types.repo.ts';
import { checkFeature, distinctTags, featureAsEventData } from './feature.ts';
import { enterStage, hasProject, insertFeature, insertFeatureEnvironments, insertTags } from './features.repo.ts';
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
    const feature = await insertFeature(trx, { name, project, type, description, impressionData, createdByUserId });
    if (!feature) throw new AppError('name-exists', `There is already a feature called ${shownValue(name, [])}.`);
    const environments = await insertFeatureEnvironments(trx, feature);
    await insertTags(trx, name, tags);
    await enterStage(trx, name, 'initial');
    await tell(trx, context, feature, [{ type: 'feature-created', data: featureAsEventData(feature) }]);
    const answer = await foundFeatureView(trx, project, name);
    return { answer, visible: { project, featureName: name, environments, isRemoved: false } };
  });
}
