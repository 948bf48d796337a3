import { AppError } from '@yardarm/shared/errors';

/**
 * A session is a token of kind `session` that a login gives and a cookie carries.
 *
 *   begun   its user's permissions are its own; until they have chosen a password of their own, none but to choose one
 *   ended   gone from the table: by a logout, by a change of the password elsewhere, with its user, or by SESSION_TTL_HOURS
 */

/** The one answer to a wrong password, an unknown name, an account without a password and one that is deleted. */
export function passwordMismatch(): AppError {
  return new AppError(
    'password-mismatch',
    'The combination of password and username you provided is invalid. If you have forgotten your password, get in touch with your instance administrator.',
  );
}

/** `password-mismatch` of the old password that proves who changes it. */
export function oldPasswordMismatch(): AppError {
  return new AppError(
    'password-mismatch',
    'The old password you provided is invalid. If you have forgotten your password, get in touch with your instance administrator.',
  );
}
