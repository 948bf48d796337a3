/**
 * Every error code with its HTTP status and the name that clients see. The names equal those of the public product's
 * documents letter by letter (`ContentTypeerror` included), because clients compare them.
 * Codes are permanent: a retired code is never used again for something else.
 */
export const errorCodes = {
  validation: { status: 400, name: 'ValidationError' },
  'bad-data': { status: 400, name: 'BadDataError' },
  'limit-exceeded': { status: 400, name: 'ExceedsLimitError' },
  'weak-password': { status: 400, name: 'OwaspValidationError' },
  'archived-feature': { status: 400, name: 'ArchivedFeatureError' },
  'role-in-use': { status: 400, name: 'RoleInUseError' },
  unauthenticated: { status: 401, name: 'AuthenticationRequired' },
  'password-mismatch': { status: 401, name: 'PasswordMismatch' },
  'invalid-token': { status: 401, name: 'InvalidTokenError' },
  'no-access': { status: 403, name: 'NoAccessError' },
  forbidden: { status: 403, name: 'ForbiddenError' },
  'operation-denied': { status: 403, name: 'OperationDeniedError' },
  'incompatible-project': { status: 403, name: 'IncompatibleProjectError' },
  'invalid-operation': { status: 403, name: 'InvalidOperationError' },
  'not-found': { status: 404, name: 'NotFoundError' },
  'method-not-allowed': { status: 405, name: 'MethodNotAllowedError' },
  'name-exists': { status: 409, name: 'NameExistsError' },
  conflict: { status: 409, name: 'ConflictError' },
  'precondition-failed': { status: 412, name: 'PreconditionFailedError' },
  'content-too-large': { status: 413, name: 'ContentTooLarge' },
  'content-type': { status: 415, name: 'ContentTypeerror' },
  unprocessable: { status: 422, name: 'UnprocessableContentError' },
  'rate-limited': { status: 429, name: 'RateLimitError' },
  internal: { status: 500, name: 'InternalError' },
  unavailable: { status: 503, name: 'UnavailableError' },
  maintenance: { status: 503, name: 'MaintenanceModeError' },
  timeout: { status: 504, name: 'GatewayTimeoutError' },
} as const satisfies Record<string, { status: number; name: string }>;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorDetail {
  message: string;
  path?: string;
  validationErrors?: readonly string[];
}

/** Codes that say that a service is away or did not answer in time, and not that it refuses. A retry may succeed. */
export const transientCodes = ['unavailable', 'timeout'] as const satisfies readonly ErrorCode[];

/** Codes that any request may answer with, in addition to those of its contract: transport and checks cause them. */
export const transportErrors = [
  'validation',
  'no-access',
  'internal',
  'unavailable',
  'maintenance',
  'timeout',
] as const satisfies readonly ErrorCode[];
