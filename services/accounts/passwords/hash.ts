import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@yardarm/shared/errors';

/** argon2id (the library's default) with OWASP's least parameters: 19 MiB, two passes, one lane; some 20 ms of one core. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * How many run at once: of the four threads that Node has for such work two stay for files and names, and memory stays below 40 MiB.
 * Fifty of them wait for half a second, which is what a person accepts of a login; whoever comes then is told to come again.
 */
const maxConcurrent = 2;
const maxWaiting = 50;

let running = 0;
const waiting: (() => void)[] = [];

/** The password's hash in PHC form, salt and parameters included. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalised(password), parameters));
}

/** The hash of 32 random bytes that nobody knows, with the parameters of every other: checking a password against it costs the same. */
export const hashOfNobody =
  '$argon2id$v=19$m=19456,t=2,p=1$rF5VxncamU7fU2GHcEBv+w$3kD/F1oxDLgBabt6sx6m5ysoNMMtVmjm6YH41azn9qk';

/** Whether it is the password behind the hash. Without a hash it is not, and the same work is done. */
export function isPassword(stored: string | null, password: string): Promise<boolean> {
  return inTurn(() => verify(stored ?? hashOfNobody, normalised(password)));
}

/** The same password typed on another keyboard may come in other code points (NIST SP 800-63B, 3.1.1.2). */
function normalised(password: string): string {
  return password.normalize('NFKC');
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < maxConcurrent) running += 1;
  else {
    if (waiting.length >= maxWaiting) {
      throw new AppError('unavailable', 'Too many passwords are being checked at this moment.', {
        retryAfterSeconds: 1,
      });
    }
    // Whoever ends hands the turn over, so `running` does not change.
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
