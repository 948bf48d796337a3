import { isDeepStrictEqual } from 'node:util';
import { changeableFeatureSchema, type FeatureEventData } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { Row } from '../db/rows.ts';

/** A flag as its own row has it. */
export type StoredFeature = Row<'features'>;

/** What a PATCH may change of a flag: the document that its JSON Patch works on. */
export type ChangeableFeature = z.output<typeof changeableFeatureSchema>;

/** A page of text. A listing carries the description of every flag to every SDK. */
export const maxDescription = 10_000;

/** Each event of a flag carries its tags, so their number bounds the size of its events. */
export const maxTags = 50;

const changeableProperties = Object.keys(changeableFeatureSchema.shape) as (keyof ChangeableFeature)[];

/** The flag as the document that a PATCH changes. */
export function toDocument(feature: StoredFeature): ChangeableFeature {
  const properties = { ...feature, archived: feature.archivedAt !== null };
  return Object.fromEntries(changeableProperties.map((name) => [name, properties[name]])) as ChangeableFeature;
}

/** The flag after a PATCH has made this document of it. */
export function withDocument(feature: StoredFeature, { archived, ...changed }: ChangeableFeature): StoredFeature {
  return { ...feature, ...changed, archivedAt: archived ? (feature.archivedAt ?? new Date()) : null };
}

/** The flag as `data` and `preData` of its events hold it. lastSeenAt is deprecated and always null. */
export function toEventData(feature: StoredFeature): FeatureEventData {
  return {
    name: feature.name,
    project: feature.project,
    ...toDocument(feature),
    createdAt: feature.createdAt.toISOString(),
    lastSeenAt: null,
    archivedAt: feature.archivedAt?.toISOString() ?? null,
  };
}

/** Throws `bad-data` naming the property unless a flag may have this type and description. */
export function checkFeature(
  feature: { type: string; description: string | null },
  knownTypes: readonly string[],
): void {
  if (!knownTypes.includes(feature.type)) {
    const sent = redactValue(feature.type, ['type']);
    throw new AppError('bad-data', `The .type property should be one of ${knownTypes.join(', ')}. You sent ${sent}.`);
  }
  if (feature.description !== null && feature.description.length > maxDescription) {
    const sent = redactValue(feature.description, ['description']);
    throw new AppError(
      'bad-data',
      `The .description property should have at most ${maxDescription} characters. You sent ${sent}.`,
    );
  }
}

/** The tags without repetitions, in the order sent. Throws `bad-data` when they are too many. */
export function distinctTags<Tag extends { type: string; value: string }>(tags: readonly Tag[]): Tag[] {
  const distinct = new Map(tags.map((tag) => [JSON.stringify([tag.type, tag.value]), tag]));
  if (distinct.size > maxTags) {
    throw new AppError(
      'bad-data',
      `The .tags property should have at most ${maxTags} items. You sent ${distinct.size}.`,
    );
  }
  return [...distinct.values()];
}

/** What differs between two states of a flag, by the events that say so. */
export interface FeatureChange {
  metadata: boolean;
  stale: 'on' | 'off' | null;
  archive: 'archived' | 'revived' | null;
}

/** Compares documents, not operations: a patch that sets what is already so changes nothing. Null when nothing differs. */
export function changeBetween(before: ChangeableFeature, after: ChangeableFeature): FeatureChange | null {
  const metadata = ({ stale, archived, ...rest }: ChangeableFeature) => rest;
  const change: FeatureChange = {
    metadata: !isDeepStrictEqual(metadata(before), metadata(after)),
    stale: before.stale === after.stale ? null : after.stale ? 'on' : 'off',
    archive: before.archived === after.archived ? null : after.archived ? 'archived' : 'revived',
  };
  return change.metadata || change.stale !== null || change.archive !== null ? change : null;
}
