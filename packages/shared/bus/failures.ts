import { errors } from '@nats-io/transport-node';
import { AppError, coerceError } from '../errors/index.ts';

/** Why a request to the server or to a service failed, by what the caller can conclude. */
export type Failure = 'no-responders' | 'timeout' | 'closed' | 'too-large' | 'denied' | 'other';

export function failureOf(thrown: unknown): Failure {
  const error = coerceError(thrown);
  if (error instanceof errors.TimeoutError) return 'timeout';
  if (error instanceof errors.NoRespondersError || error.name === 'JetStreamNotEnabled') return 'no-responders';
  if (error instanceof errors.RequestError && error.isNoResponders()) return 'no-responders';
  if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError) return 'closed';
  if (error instanceof errors.PermissionViolationError) return 'denied';
  if (error instanceof errors.InvalidArgumentError && error.message.includes('max_payload')) return 'too-large';
  return 'other';
}

/** `unavailable`, with a retry after 1 s: the time that a service or server takes to restart. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 1, cause });
}
