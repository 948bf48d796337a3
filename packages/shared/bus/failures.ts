import { errors } from '@nats-io/transport-node';
import { AppError, coerceError } from '../errors/index.ts';

/** What became of a request to the server or to a service, told apart by what the caller can conclude from it. */
export type Failure = 'nobody' | 'silence' | 'closed' | 'too-large' | 'other';

/** Classifies what the client threw. */
export function failureOf(thrown: unknown): Failure {
  const error = coerceError(thrown);
  if (error instanceof errors.TimeoutError) return 'silence';
  if (error instanceof errors.NoRespondersError || error.name === 'JetStreamNotEnabled') return 'nobody';
  if (error instanceof errors.RequestError && error.isNoResponders()) return 'nobody';
  if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError) return 'closed';
  if (error instanceof errors.InvalidArgumentError && error.message.includes('max_payload')) return 'too-large';
  return 'other';
}

/** `unavailable`, worth trying again in a second: the time a restarted service or server takes to be back. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 1, cause });
}
