import { type ErrorCode, type ErrorDetail, errorCodes } from '../contracts/errors.ts';

/**
 * The one error that may cross a boundary. Its message is written for the person who made the call and names nothing secret;
 * anything else that is thrown becomes `internal` at the boundary and stays in the log.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  /** Seconds after which trying again makes sense; becomes Retry-After. */
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

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** Turns whatever was thrown into an Error, keeping an Error as it is. */
export function coerceError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`thrown, not an Error: ${String(thrown)}`);
}
