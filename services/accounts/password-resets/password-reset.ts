import { AppError } from '@yardarm/shared/errors';

/**
 * A one-time token by which a user chooses a password.
 *
 *   open   one per user at the most: a new one takes the place of an earlier one
 *   over   used (of several uses at once one finds it), its time has passed, the password was changed otherwise, or its user deleted
 *
 * Looking at it changes nothing; a password that is too weak does not use it up.
 */

/** A token that is malformed, unknown or over: which of them is nobody's business. */
export function invalidReset(): AppError {
  return new AppError('invalid-token', 'Token was not valid');
}
