import { createHash } from 'node:crypto';
import { AppError } from '@yardarm/shared/errors';

/** So many points within so many seconds, from the first of them; then everybody waits for the end of that time. */
export interface RateLimit {
  points: number;
  seconds: number;
}

/**
 * What is counted, over all replicas.
 *
 *   login     every login, per address; a setting
 *   password  every use of a one-time token and every change of one's own password, per address; a setting
 *   guess     wrong passwords per account and address: a person mistypes a few times; whoever goes on has to wait, and nobody else
 *   account   wrong passwords per account from anywhere: ten addresses' worth, so that no single machine can shut a person out. A
 *             botnet can, for ten minutes at a time, and gets 7,200 guesses a day: none of the passwords that we accept falls to that
 *
 * A try is counted before the password is looked at, so that of many at once no more than the limit get through and a flood costs
 * no hashes; a right password takes its count back.
 */
export const guessLimit: RateLimit = { points: 5, seconds: 600 };
export const accountLimit: RateLimit = { points: 50, seconds: 600 };

/** A limit that an operator gives. */
export function perMinute(points: number): RateLimit {
  return { points, seconds: 60 };
}

/**
 * An account for counting: the name that was typed, in whatever case, whether anybody has it or not. Counted by user, the limit would tell
 * which names exist and which username and e-mail belong together; so whoever has both may be guessed at twice as often. It is
 * hashed, since people type passwords into the wrong field.
 */
export function accountKey(name: string): string {
  return createHash('sha256').update(name.toLowerCase()).digest('hex');
}

/** `rate-limited` until so many milliseconds have passed. */
export function tooMany(what: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError('rate-limited', `Too many ${what}. Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}
