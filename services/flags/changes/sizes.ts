import { checkViolation } from '@yardarm/shared/db';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Limits } from '../places/limits/limits.ts';

/**
 * The bytes of an environment are counted in units, which each project begins for itself. So a change waits for those
 * of other projects in the environment only if it begins or ends a unit. 500 projects leave at most 8 MB unused.
 */
export const unitBytes = 16_384;

/**
 * By how many bytes a change of a flag's own properties makes it larger, as `bytesOfFlag` counts. To measure each flag
 * of a group of patches in each environment would take a tenth more of the CPU time that Postgres needs for a patch.
 */
export function growthOf(before: Described, after: Described): number {
  return descriptionBytes(after) - descriptionBytes(before);
}

interface Described {
  description: string | null;
}

function descriptionBytes({ description }: Described): number {
  return description === null ? 0 : Buffer.byteLength(JSON.stringify(description));
}

/** Turns the refusal of a commit by a limit of bytes into `limit-exceeded`. Returns other errors unchanged. */
export function translateSizeError(error: unknown, limits: Limits): unknown {
  const violation = checkViolation(error);
  if (violation === null) return error;
  const [environment = '', project = ''] = violation.row.map((value) => redactValue(value, []));
  switch (violation.constraint) {
    case 'revisions_bytes_limit':
      return bytesExceeded(`the project ${project} in the environment ${environment}`, limits.projectBytes, error);
    case 'environment_bytes_limit':
      return bytesExceeded(`the environment ${environment}`, limits.environmentBytes, error);
    default:
      return error;
  }
}

function bytesExceeded(place: string, limit: number, cause: unknown): AppError {
  const message = `The flags of ${place} may have at most ${limit} bytes. With this change they would have more. Archive or shorten some first.`;
  return new AppError('limit-exceeded', message, { cause });
}
