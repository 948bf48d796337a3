import type { ServedContext } from '@yardarm/shared/bus';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';

/**
 * A page of the console, which asks for several at once, ends before. A caller that asks again and again leaves half of
 * the time to others.
 */
const restsFromMs = 1_000;

/**
 * Of ten connections, tokens and logins keep most. A second one uses the processor while Postgres works for the first.
 */
const longReads = new ConcurrencyLimit(2, 'Other reads took all of the time.', { restsFromMs });

/**
 * For reads whose size grows with the members of all groups or projects. The same process resolves tokens meanwhile.
 * One of a caller runs at a time, and callers take turns. Throws `unavailable` without a turn before the deadline.
 */
export function runLongRead<Result>(context: ServedContext, read: () => Promise<Result>): Promise<Result> {
  return longReads.run(context, read);
}
