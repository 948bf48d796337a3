import type { ServedContext } from '@yardarm/shared/bus';
import { maxTags, type Tag } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { Change, Emit, FeatureEvent } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { requireRoom } from '../../places/limits/room.repo.ts';
import type { StoredFeature } from '../feature.ts';
import { lockTagTypesForShare } from '../tag-types/tag-types.repo.ts';
import { deleteFeatureTags, type FeatureTag, findOvertagged, insertFeatureTags } from './feature-tags.repo.ts';
import { tagKey, tagOrderingKey, tooManyTags, unknownTagType } from './tag.ts';
import { insertTags } from './tags.repo.ts';

type Trx = Transaction<FlagsTables>;

export interface TagChanges {
  addedTags: readonly Tag[];
  /** A tag that is in both lists is removed. */
  removedTags: readonly Tag[];
}

/** Throws `bad-data` that names the first type that does not exist. The types stay until the commit. */
export async function requireTagTypes(trx: Trx, tags: readonly Tag[]): Promise<void> {
  requireTypes(tags, await lockTypesOfTags(trx, tags));
}

/** Those of the types of the tags that exist. They stay until the commit. */
export async function lockTypesOfTags(trx: Trx, tags: readonly Tag[]): Promise<Set<string>> {
  return tags.length === 0 ? new Set() : await lockTagTypesForShare(trx, [...new Set(tags.map(({ type }) => type))]);
}

/** Throws `bad-data` that names the first type that is not known. */
export function requireTypes(tags: readonly Tag[], known: ReadonlySet<string>): void {
  const unknown = tags.find(({ type }) => !known.has(type));
  if (unknown) throw unknownTagType(unknown.type);
}

export function tagsCreated(context: ServedContext, tags: readonly Tag[]): Change[] {
  return tags.map(({ type, value }) => ({
    ...{ context, orderingKey: tagOrderingKey({ type, value }) },
    events: [{ type: 'tag-created' as const, data: { type, value } }],
  }));
}

/**
 * Changes the tags of flags, whose rows the caller has locked, and makes the tags that are new. SDKs may filter by tag,
 * so that each change is visible in every environment.
 */
export async function changeTags(
  trx: Trx,
  emit: Emit,
  context: ServedContext,
  features: readonly StoredFeature[],
  { addedTags, removedTags }: TagChanges,
): Promise<void> {
  const removed = new Set(removedTags.map(tagKey));
  const kept = addedTags.filter((tag) => !removed.has(tagKey(tag)));
  await requireTagTypes(trx, addedTags);
  const names = features.map(({ name }) => name);
  const newTags = await insertTags(trx, kept);
  const untagged = await deleteFeatureTags(trx, names, removedTags);
  const tagged = await insertFeatureTags(
    trx,
    names.flatMap((featureName) => kept.map(({ type, value }) => ({ featureName, type, value }))),
  );
  const [overtagged] = await findOvertagged(trx, names, maxTags);
  if (overtagged) throw tooManyTags(overtagged.featureName, overtagged.count, maxTags);
  if (newTags.length > 0) await requireRoom(trx, 'tags');
  await emit(...tagsCreated(context, newTags), ...featuresTagged(context, features, tagged, untagged));
}

/** The changes of the flags whose tags differ, with an event for each tag. */
export function featuresTagged(
  context: ServedContext,
  features: readonly StoredFeature[],
  tagged: readonly FeatureTag[],
  untagged: readonly FeatureTag[],
): Change[] {
  const eventsOf = (tags: readonly FeatureTag[], type: FeatureEvent['type']) =>
    Map.groupBy(
      tags.map((tag) => ({ tag, event: { type, data: { type: tag.type, value: tag.value } } })),
      ({ tag }) => tag.featureName,
    );
  const [added, removed] = [eventsOf(tagged, 'feature-tagged'), eventsOf(untagged, 'feature-untagged')];
  return features.flatMap((feature) => {
    const events = [...(removed.get(feature.name) ?? []), ...(added.get(feature.name) ?? [])].map(({ event }) => event);
    return events.length === 0 ? [] : [{ context, feature, events, visibleIn: 'all' as const }];
  });
}
