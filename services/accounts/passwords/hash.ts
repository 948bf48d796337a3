import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@yardarm/shared/errors';

/** argon2id (the library's default) with OWASP's minimum: 19 MiB, two passes, one lane; about 20 ms of one core. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Node has four threads for such work: two stay for files and names, and memory stays below 40 MiB. Fifty waiting
 * hashes take half a second, which is acceptable for a login; further requests are refused with a Retry-After.
 */
const maxConcurrent = 2;
const maxWaiting = 50;

let running = 0;
const waiting: (() => void)[] = [];

export function hashPassword(password: string): Promise<string> {
  return withLimit(() => hash(normalize(password), parameters));
}

/** The hash of 'no password', with the same parameters. A check against it costs the same. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$COCKPZobCBoMjgpRqZcA7w$22BCYXjFxPtW2NFJQu/13IcSawAkBU3F0BYEOwEDd6I';

/** Without a stored hash the answer is false after the same work, whatever the password is. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const isMatch = await withLimit(() => verify(stored ?? dummyHash, normalize(password)));
  return stored !== null && isMatch;
}

/** Different keyboards may produce different code points for the same password (NIST SP 800-63B, 3.1.1.2). */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

async function withLimit<T>(work: () => Promise<T>): Promise<T> {
  if (running < maxConcurrent) running += 1;
  else {
    if (waiting.length >= maxWaiting) {
      throw new AppError('unavailable', 'Too many passwords are being checked at this moment.', {
        retryAfterSeconds: 1,
      });
    }
    // A finished hash passes its slot to the next waiting one, so `running` does not change.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
