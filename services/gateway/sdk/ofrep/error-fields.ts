import type { AppError } from '@yardarm/shared/errors';

/** OpenFeature has no codes for 401, 403, 429 and 503. */
export function ofrepErrorFields(error: AppError, message: string, { key }: Readonly<Record<string, unknown>>): object {
  const isOfFlag = typeof key === 'string';
  return { ...(isOfFlag && { key }), errorCode: errorCodeOf(error, isOfFlag), errorDetails: message };
}

/** The paths for which a client of OFREP expects these fields, also where no route is. */
export function isOfrepPath(path: string): boolean {
  return path.startsWith('/ofrep/');
}

function errorCodeOf({ code, details = [] }: AppError, isOfFlag: boolean): string {
  if (code === 'not-found' && isOfFlag) return 'FLAG_NOT_FOUND';
  // A path or a body that cannot be read has no details. A query that does not match is bad data with details.
  if (details.length > 0) return code === 'validation' || code === 'bad-data' ? 'INVALID_CONTEXT' : 'GENERAL';
  return code === 'validation' ? 'PARSE_ERROR' : 'GENERAL';
}
