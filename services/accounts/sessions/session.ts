import { AppError } from '@yardarm/shared/errors';

/**
 * A session is a token of kind `session` that a login issues and a cookie carries.
 *
 *   begun   it has the permissions of its user; until the user has chosen their own password, it may only do that
 *   ended   deleted: by a logout, by a change of the password elsewhere, with its user, or after SESSION_TTL_HOURS
 */

/** The same error for a wrong password, an unknown name, an account without a password and a deleted account. */
export function passwordMismatch(): AppError {
  return new AppError(
    'password-mismatch',
    'The combination of password and username you provided is invalid. If you have forgotten your password, get in touch with your instance administrator.',
  );
}

export function oldPasswordMismatch(): AppError {
  return new AppError(
    'password-mismatch',
    'The old password you provided is invalid. If you have forgotten your password, get in touch with your instance administrator.',
  );
}
