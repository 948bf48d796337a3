import { AppError } from '@yardarm/shared/errors';

/** At most `points` attempts in `seconds` from the first of them. Further attempts are refused until that time ends. */
export interface RateLimit {
  points: number;
  seconds: number;
}

/**
 * The counters, over all replicas.
 *
 *   login     every login, per address; a setting
 *   password  every use of a one-time token and every change of one's own password, per address; a setting
 *   guess     wrong passwords per account and address: a person mistypes a few times; more attempts from there wait
 *   account   wrong passwords per account from any address: ten times as many, so that a single machine cannot lock a
 *             person out. A botnet can, or a line with many networks of IPv6, for ten minutes at a time, and gets
 *             7,200 guesses a day: too few for any password that the rules accept. A reset by link frees the account
 *
 * An attempt is counted before the password is checked, so that concurrent attempts cannot exceed the limit and a
 * flood costs no hashes. A right password takes its count back.
 */
export const guessLimit: RateLimit = { points: 5, seconds: 600 };
export const accountLimit: RateLimit = { points: 50, seconds: 600 };

export function perMinute(points: number): RateLimit {
  return { points, seconds: 60 };
}

export function tooManyAttempts(what: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError('rate-limited', `Too many ${what}. Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}
