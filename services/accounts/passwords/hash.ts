import { hash, verify } from '@node-rs/argon2';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';

/** argon2id (the library's default) with OWASP's minimum: 19 MiB, two passes, one lane; about 20 ms of one core. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Node has four threads for such work: two stay for files and names, and memory stays below 40 MiB. Fifty waiting
 * hashes take half a second, which is acceptable for a login; further requests are refused with a Retry-After.
 */
const limit = new ConcurrencyLimit(2, 'Too many passwords are being checked at this moment.', { maxWaiting: 50 });
const caller = { deadline: Number.POSITIVE_INFINITY };

export function hashPassword(password: string): Promise<string> {
  return limit.run(caller, () => hash(normalize(password), parameters));
}

/** The hash of 'no password', with the same parameters. A check against it costs the same. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$COCKPZobCBoMjgpRqZcA7w$22BCYXjFxPtW2NFJQu/13IcSawAkBU3F0BYEOwEDd6I';

/** Without a stored hash the answer is false after the same work, whatever the password is. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const isMatch = await limit.run(caller, () => verify(stored ?? dummyHash, normalize(password)));
  return stored !== null && isMatch;
}

/** Different keyboards may produce different code points for the same password (NIST SP 800-63B, 3.1.1.2). */
function normalize(password: string): string {
  return password.normalize('NFKC');
}
