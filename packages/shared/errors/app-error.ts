import { type ErrorCode, type ErrorDetail, errorCodes, transientCodes } from '../contracts/errors.ts';

/** The only error that crosses a boundary, without secrets. Any other error becomes `internal` and is only logged. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  /** Seconds after which a retry makes sense, sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: readonly ErrorDetail[] | undefined;
      retryAfterSeconds?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/**
 * Throws the first of the errors, if there is one. A check that yields its errors serves both a caller who refuses at
 * the first and one who lists them all.
 */
export function throwFirst(errors: Iterable<AppError>): void {
  for (const error of errors) throw error;
}

/** Whether the error has one of `transientCodes`. */
export function isTransient(error: unknown): boolean {
  const codes: readonly ErrorCode[] = transientCodes;
  return error instanceof AppError && codes.includes(error.code);
}

/** Returns a thrown Error unchanged, and any other thrown value as an Error. */
export function coerceError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`thrown, not an Error: ${String(thrown)}`);
}
