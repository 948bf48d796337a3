import { AppError, isTransient } from '@yardarm/shared/errors';

/**
 * Refuses as `unavailable` a question to another service that got no answer. The message says what is away: NATS, the
 * service or its database. The caller may ask again without harm, so a `timeout` leaves no unknown outcome. Throws an
 * error that is not transient unchanged.
 */
export function refuseTransient(refusal: string, service: string, error: unknown): never {
  if (!isTransient(error)) throw error;
  const { code, message } = error as AppError;
  const reason = code === 'timeout' ? `The ${service} service did not answer in time.` : message;
  throw new AppError('unavailable', `${refusal} ${reason}`, { retryAfterSeconds: 1, cause: error });
}
