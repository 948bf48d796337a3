import type { ServedContext } from '@yardarm/shared/bus';
import type { Transaction } from '@yardarm/shared/db';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { requireUser } from '../../places/users/require-user.ts';
import type { FlagsResources } from '../../resources.ts';
import { featureOrderingKey } from '../feature.ts';
import { findTagsOf } from '../feature-tags.repo.ts';
import { lockLiveFeature } from '../find-feature.ts';
import { deleteFavorite, insertFavorite } from './favorites.repo.ts';

interface FeatureOfProject {
  projectId: string;
  featureName: string;
}

export function addFavoriteFeature(
  resources: FlagsResources,
  place: FeatureOfProject,
  context: ServedContext,
): Promise<void> {
  return change(resources, place, context, 'feature-favorited', insertFavorite);
}

export function removeFavoriteFeature(
  resources: FlagsResources,
  place: FeatureOfProject,
  context: ServedContext,
): Promise<void> {
  return change(resources, place, context, 'feature-unfavorited', deleteFavorite);
}

/** A favorite is a property of the user: the flag gets no version and no collaborator. */
async function change(
  resources: FlagsResources,
  { projectId, featureName }: FeatureOfProject,
  context: ServedContext,
  type: 'feature-favorited' | 'feature-unfavorited',
  write: (trx: Transaction<FlagsTables>, featureName: string, userId: number) => Promise<boolean>,
): Promise<void> {
  const userId = requireUser(context);
  await recordChange(resources, context, async (trx, emit) => {
    const { project, name } = await lockLiveFeature(trx, projectId, featureName);
    if (!(await write(trx, name, userId))) return;
    const tags = (await findTagsOf(trx, [name])).get(name) ?? [];
    const event = { type, project, featureName: name, tags, data: { feature: name } };
    await emit({ context, orderingKey: featureOrderingKey(name), events: [event] });
  });
}
