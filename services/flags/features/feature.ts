import { isDeepStrictEqual } from 'node:util';
import type { Permission } from '@yardarm/shared/contracts';
import {
  changeableFeatureSchema,
  type FeatureEventData,
  maxTags,
  permissionsOfPaths,
} from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { Row } from '../db/rows.ts';

export type StoredFeature = Row<'features'>;

/** The document that the JSON Patch of a PATCH changes. */
export type ChangeableFeature = z.output<typeof changeableFeatureSchema>;

/** A page of text. A listing sends the description of every flag to every SDK. */
export const maxDescription = 10_000;

const changeableProperties = Object.keys(changeableFeatureSchema.shape) as (keyof ChangeableFeature)[];

export function toDocument(feature: StoredFeature): ChangeableFeature {
  const properties = { ...feature, archived: feature.archivedAt !== null };
  return Object.fromEntries(changeableProperties.map((name) => [name, properties[name]])) as ChangeableFeature;
}

export function withDocument(feature: StoredFeature, { archived, ...changed }: ChangeableFeature): StoredFeature {
  return { ...feature, ...changed, archivedAt: archived ? (feature.archivedAt ?? new Date()) : null };
}

/** The flag as `data` and `preData` of its events. The deprecated lastSeenAt is always null. */
export function featureEventData(feature: StoredFeature): FeatureEventData {
  return {
    name: feature.name,
    project: feature.project,
    ...toDocument(feature),
    createdAt: feature.createdAt.toISOString(),
    lastSeenAt: null,
    archivedAt: feature.archivedAt?.toISOString() ?? null,
  };
}

export function featureOrderingKey(name: string): string {
  return `feature:${name}`;
}

/** Of a switch. Other uses of an archived flag do not find it. */
export function featureArchived(name: string): AppError {
  return new AppError('archived-feature', `The feature ${redactValue(name, [])} is archived, and cannot be switched.`);
}

/** Also for a flag of another project, and for every use of an archived flag but a read, a switch and its revival. */
export function featureNotFound(name: string, project: string): AppError {
  return new AppError(
    'not-found',
    `Could not find the feature with name ${redactValue(name, [])} in the project ${redactValue(project, [])}.`,
  );
}

/** Throws `precondition-failed` unless the flag has one of the versions that the caller expects, if any. */
export function requireVersion({ name, version }: StoredFeature, expected: readonly number[] | undefined): void {
  if (expected === undefined || expected.includes(version)) return;
  throw new AppError(
    'precondition-failed',
    `The feature ${redactValue(name, [])} has the version ${version}, and the request expects ${expected.join(' or ') || 'another'}.`,
  );
}

/** The permissions that the changes of a patch need. */
export function permissionsOfChange(before: ChangeableFeature, after: ChangeableFeature): Permission[] {
  const changed = changeableProperties.filter((property) => before[property] !== after[property]);
  const needed = changed.map((property) => {
    const permission = permissionsOfPaths[`/${property}`];
    return typeof permission === 'string' ? permission : permission[after[property] === true ? 'true' : 'false'];
  });
  return [...new Set(needed)];
}

/** Refuses an unknown flag where the path names no project. */
export function unknownFeature(name: string): AppError {
  return new AppError('not-found', `Could not find the feature with name ${redactValue(name, [])}.`);
}

export function featureNameExists(name: string): AppError {
  return new AppError('name-exists', `There is already a feature called ${redactValue(name, [])}.`);
}

/** Throws `bad-data` that names the property unless a flag may have this type and description. */
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

/** The tags without repetitions, in the order sent. Throws `bad-data` when there are too many. */
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

export interface FeatureChange {
  metadata: boolean;
  stale: 'on' | 'off' | null;
  archive: 'archived' | 'revived' | null;
}

/** Compares documents: a patch that sets a present value changes nothing. Null when nothing differs. */
export function changeBetween(before: ChangeableFeature, after: ChangeableFeature): FeatureChange | null {
  const metadata = ({ stale, archived, ...rest }: ChangeableFeature) => rest;
  const change: FeatureChange = {
    metadata: !isDeepStrictEqual(metadata(before), metadata(after)),
    stale: before.stale === after.stale ? null : after.stale ? 'on' : 'off',
    archive: before.archived === after.archived ? null : after.archived ? 'archived' : 'revived',
  };
  return change.metadata || change.stale !== null || change.archive !== null ? change : null;
}
