import type { AppError } from '@yardarm/shared/errors';

/** OpenFeature has no codes for 401, 403, 429 and 503. */
export function ofrepErrorFields(error: AppError, message: string, { key }: Readonly<Record<string, unknown>>): object {
  return { ...(typeof key === 'string' && { key }), errorCode: errorCodeOf(error), errorDetails: message };
}

function errorCodeOf({ code, details = [] }: AppError): string {
  if (code === 'not-found') return 'FLAG_NOT_FOUND';
  if (code !== 'validation') return 'GENERAL';
  // A body that is no JSON has no details.
  return details.length === 0 ? 'PARSE_ERROR' : 'INVALID_CONTEXT';
}
