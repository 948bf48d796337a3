import { AppError, shownValue } from '@yardarm/shared/errors';

/** What a PATCH may change of a flag: the document that its JSON Patch works on. */
export interface ChangeableFeature {
  description: string | null;
  type: string;
  stale: boolean;
  impressionData: boolean;
  archived: boolean;
}

/** A flag as its own row has it. */
export interface StoredFeature {
  name: string;
  project: string;
  description: string | null;
  type: string;
  stale: boolean;
  impressionData: boolean;
  createdAt: Date;
  archivedAt: Date | null;
}

/** A page of text. A listing carries the description of every flag to every SDK. */
export const longestDescription = 10_000;

/** Each event of a flag carries its tags, so their number is the size of everything that is told about it. */
export const mostTags = 50;

export function changeable(feature: StoredFeature): ChangeableFeature {
  const { description, type, stale, impressionData, archivedAt } = feature;
  return { description, type, stale, impressionData, archived: archivedAt !== null };
}

/** Throws `bad-data` naming the property unless a flag may have this type and description. */
export function checkFeature(
  feature: { type: string; description: string | null },
  knownTypes: readonly string[],
): void {
  if (!knownTypes.includes(feature.type)) {
    const sent = shownValue(feature.type, ['type']);
    throw new AppError('bad-data', `The .type property should be one of ${knownTypes.join(', ')}. You sent ${sent}.`);
  }
  if (feature.description !== null && feature.description.length > longestDescription) {
    const sent = shownValue(feature.description, ['description']);
    throw new AppError(
      'bad-data',
      `The .description property should have at most ${longestDescription} characters. You sent ${sent}.`,
    );
  }
}

/** The tags without repetitions, in the order sent. Throws `bad-data` when they are too many. */
export function distinctTags<Tag extends { type: string; value: string }>(tags: readonly Tag[]): Tag[] {
  const distinct = new Map(tags.map((tag) => [JSON.stringify([tag.type, tag.value]), tag]));
  if (distinct.size > mostTags) {
    throw new AppError(
      'bad-data',
      `The .tags property should have at most ${mostTags} items. You sent ${distinct.size}.`,
    );
  }
  return [...distinct.values()];
}

/** The flag as `data` and `preData` of events tell it (the public product's selection of properties). */
export function featureAsEventData(feature: StoredFeature): Record<string, unknown> {
  return {
    name: feature.name,
    description: feature.description,
    type: feature.type,
    project: feature.project,
    stale: feature.stale,
    createdAt: feature.createdAt.toISOString(),
    lastSeenAt: null,
    impressionData: feature.impressionData,
    archived: feature.archivedAt !== null,
    archivedAt: feature.archivedAt?.toISOString() ?? null,
  };
}

/** What differs between two states of a flag, in the terms of the events that tell of it. */
export interface FeatureChange {
  metadata: boolean;
  stale: 'on' | 'off' | null;
  archive: 'archived' | 'revived' | null;
}

/** Compares documents, not operations: a patch that sets what is already so changes nothing. Null when nothing differs. */
export function changeBetween(before: ChangeableFeature, after: ChangeableFeature): FeatureChange | null {
  const change: FeatureChange = {
    metadata:
      before.description !== after.description ||
      before.type !== after.type ||
      before.impressionData !== after.impressionData,
    stale: before.stale === after.stale ? null : after.stale ? 'on' : 'off',
    archive: before.archived === after.archived ? null : after.archived ? 'archived' : 'revived',
  };
  return change.metadata || change.stale !== null || change.archive !== null ? change : null;
}
