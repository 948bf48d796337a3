import { AppError } from '@yardarm/shared/errors';

/**
 * A one-time token with which a user chooses a password.
 *
 *   open   at most one per user: a new one replaces an earlier one
 *   over   used (one of several concurrent uses succeeds), expired, or its user got another password or was deleted
 *
 * A check changes nothing. A password that is too weak does not use the token up.
 */

/** The error is the same for a malformed, an unknown and a used token, so that it reveals nothing. */
export function invalidReset(): AppError {
  return new AppError('invalid-token', 'Token was not valid');
}
