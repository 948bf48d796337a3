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
 * Who is behind an address, for counting: an IPv4 address itself, also written as IPv6; of IPv6 the first 64 bits, since every customer of
 * a provider has 2^64 of them.
 */
export function networkOf(address: string): string {
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups(head).length - groups(tail).length);
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail ?? '')];
  return `${all
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
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
