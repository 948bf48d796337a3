import { errors } from '@nats-io/transport-node';
import type { RequestContract } from '../contracts/contract.ts';
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

/** Maps an error of the client to an AppError for the caller. */
export function requestFailure(contract: RequestContract, error: unknown): AppError {
  if (error instanceof AppError) return error;
  switch (failureOf(error)) {
    case 'no-responders':
      return unavailable(`The ${contract.service} service is not available.`, error);
    case 'timeout':
      return outcomeUnknown(contract, error);
    case 'closed':
      return unavailable('This process is stopping and sends no more requests.', error);
    case 'too-large':
      return new AppError('content-too-large', 'The request is larger than a message may be.', { cause: error });
    case 'denied':
      return new AppError('internal', `The user of NATS_URL may not send ${contract.name}.`, { cause: error });
    default:
      return new AppError('internal', `The request to the ${contract.service} service failed.`, { cause: error });
  }
}

/** The error when the deadline passes after the request was sent. */
export function outcomeUnknown(contract: RequestContract, cause?: unknown): AppError {
  return new AppError('timeout', `The ${contract.service} service did not answer in time; the outcome is unknown.`, {
    cause,
  });
}
