import { checkViolation } from '@yardarm/shared/db';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Limits } from '../places/limits/limits.ts';

/**
 * The bytes of an environment are counted in units, which each project begins for itself. So a change waits for those
 * of other projects in the environment only if it begins or ends a unit. 500 projects leave at most 8 MB unused.
 */
export const unitBytes = 16_384;

export function unitsOf(bytes: number): number {
  return Math.ceil(bytes / unitBytes);
}

/** The keys and the punctuation of a flag, and the properties of a few letters: at most 300 bytes of JSON. */
export const flagOverhead = 300;

/** The keys and the punctuation of a tag. */
export const tagOverhead = 30;

/**
 * By how many bytes a change of a flag's own properties makes it larger, as `bytesOfFlag` counts: an archived flag has
 * no size. To measure each flag of a group of patches in each environment would take a tenth more of the CPU time that
 * Postgres needs for a patch.
 */
export function growthOf(before: Described, after: Described & { archivedAt: Date | null }): number {
  if (after.archivedAt !== null || after.description === before.description) return 0;
  return descriptionBytes(after) - descriptionBytes(before);
}

interface Described {
  description: string | null;
}

/**
 * The size of a new flag in each of its environments, as `bytesOfFlag` counts. To measure it there Postgres would read
 * four tables for each environment.
 */
export function bytesOfNew(
  feature: Described & { name: string; project: string },
  tags: readonly { type: string; value: string }[],
): number {
  const own = flagOverhead + Buffer.byteLength(feature.name) + Buffer.byteLength(feature.project);
  const bytesOfTag = ({ type, value }: (typeof tags)[number]) =>
    tagOverhead + Buffer.byteLength(type) + jsonBytes(value);
  // It has the variants [].
  return tags.reduce((sum, tag) => sum + bytesOfTag(tag), own + descriptionBytes(feature) + 2);
}

function descriptionBytes({ description }: Described): number {
  return description === null ? 0 : jsonBytes(description);
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** Turns the refusal of a commit by a limit of bytes into `limit-exceeded`. Returns other errors unchanged. */
export function translateSizeError(error: unknown, limits: Limits): unknown {
  const violation = checkViolation(error);
  if (violation === null) return error;
  const [environment = '', project = ''] = violation.row;
  switch (violation.constraint) {
    case 'revisions_bytes_limit':
      return projectFull(project, environment, limits, error);
    case 'environment_bytes_limit':
      return environmentFull(environment, limits, error);
    default:
      return error;
  }
}

export function projectFull(project: string, environment: string, limits: Limits, cause?: unknown): AppError {
  const place = `the project ${redactValue(project, [])} in the environment ${redactValue(environment, [])}`;
  return bytesExceeded(place, limits.projectBytes, cause);
}

export function environmentFull(environment: string, limits: Limits, cause?: unknown): AppError {
  return bytesExceeded(`the environment ${redactValue(environment, [])}`, limits.environmentBytes, cause);
}

function bytesExceeded(place: string, limit: number, cause: unknown): AppError {
  const message = `The flags of ${place} may have at most ${limit} bytes. With this change they would have more. Archive or shorten some first.`;
  return new AppError('limit-exceeded', message, { cause });
}
