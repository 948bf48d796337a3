import type { ServedContext } from '@yardarm/shared/bus';
import type { Tag, VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { actorOf, type Emit } from '../changes/record-change.ts';
import { bytesOfNew } from '../changes/sizes.ts';
import type { FlagsTables } from '../db/schema.ts';
import { requireRoomForNew } from '../places/limits/limits.repo.ts';
import { requireRoom } from '../places/limits/room.repo.ts';
import { checkFeatureName } from '../places/projects/feature-naming.ts';
import { requireOpen } from '../places/projects/find-project.ts';
import { lockFreeProjects, lockProjects, requireWithinFeatureLimit } from '../places/projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { checkFeature, distinctTags, featureEventData, featureNameExists } from './feature.ts';
import { findFeatureTypeIds } from './feature-types/feature-types.repo.ts';
import { insertFeatures, type NewFeature } from './features.repo.ts';
import { type Creation, changesOf, type Decision, decideEach, type GroupTerms } from './grouped-request.ts';
import { lockTypesOfTags, requireTypes, tagsCreated } from './tags/change-tags.ts';

interface DecidedCreation {
  context: ServedContext;
  feature: NewFeature;
  tags: Tag[];
}

/**
 * Makes a flag that is off in every environment of its project. Its name is unique over all projects, archived flags
 * included. The first event carries the tags given here. As in the public product, no feature-tagged follows.
 */
export function createFeature(
  { groups }: FlagsResources,
  input: Creation['input'],
  context: ServedContext,
): Promise<VersionedFeature> {
  return groups.submit({ kind: 'creation', input, context });
}

/** When the group exceeds a limit, it throws, and each creation runs again alone. So as many succeed as may. */
export async function createTogether(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  creations: readonly Creation[],
  { limits, lockedRows }: GroupTerms,
): Promise<Decision<DecidedCreation>[]> {
  const ids = creations.map(({ input }) => input.projectId);
  const [projects, types] = await Promise.all([
    lockedRows === 'skip' ? lockFreeProjects(trx, ids) : lockProjects(trx, ids, 'share'),
    findFeatureTypeIds(trx),
  ]);
  const tagTypes = await lockTypesOfTags(
    trx,
    creations.flatMap(({ input }) => input.tags),
  );
  const possible = await decideEach(
    creations,
    // A creation whose project is missing finds out alone whether the project is locked.
    ({ input }) => lockedRows === 'skip' && !projects.has(input.projectId),
    ({ input, context }) => {
      const { projectId: project, tags: sent, ...properties } = input;
      checkFeatureName(input.name, requireOpen(projects, project).featureNaming);
      checkFeature(input, types);
      const tags = distinctTags(sent);
      requireTypes(tags, tagTypes);
      const feature = { ...properties, stale: false, project, createdByUserId: actorOf(context).id };
      return { context, feature, tags };
    },
  );
  const inserted = await insertFeatures(trx, changesOf(possible), lockedRows);
  const decisions = possible.map((decision): Decision<DecidedCreation> => {
    if (decision.status !== 'decided' || inserted.has(decision.change.feature.name)) return decision;
    return { status: 'refused', error: featureNameExists(decision.change.feature.name) };
  });
  if (inserted.size === 0) return decisions;
  await emit(
    ...changesOf(decisions).flatMap(({ context, feature: { name }, tags }) => {
      const { feature, newTags } = inserted.get(name)!;
      const events = [{ type: 'feature-created' as const, data: featureEventData(feature) }];
      const growth = bytesOfNew(feature, tags);
      return [
        ...tagsCreated(context, newTags),
        { context, feature, events, visibleIn: 'all' as const, isNew: true, growth, hasNewVersion: true },
      ];
    }),
  );
  if (inserted.values().some(({ newTags }) => newTags.length > 0)) await requireRoom(trx, 'tags');
  const grown = new Set(inserted.values().map(({ feature }) => feature.project));
  for (const project of projects.values()) if (grown.has(project.id)) await requireWithinFeatureLimit(trx, project);
  await requireRoomForNew(trx, 'features', limits);
  return decisions;
}
