import { type Caller, ConcurrencyLimit } from '@yardarm/shared/waiting';
import { type ConnectionLimits, runLongRead } from './connections.ts';

/** More would not be faster: large reads share one CPU. They have fewer while other long reads have connections. */
const maxLargeReads = 3;

/**
 * A page of the console, which asks for several at once, ends before. A caller that asks again and again leaves half of
 * the time to others.
 */
export const restsFromMs = 1_000;

/**
 * For reads whose size grows with the number of flags: each runs as soon as fewer than `maxLargeReads` others do. Such
 * a read occupies a connection until this process has taken in all its rows, which takes seconds when many callers
 * list thousands of flags. Without the limit, changes would find no connection. Lists and exports use it by themselves,
 * and other reads until they have been quick (`read-turns.ts`).
 */
const largeReads = new ConcurrencyLimit(maxLargeReads, 'Too many callers read many flags.', { restsFromMs });

export function runLargeRead<Result>(
  limits: Pick<ConnectionLimits, 'longReads'>,
  caller: Caller,
  read: () => Promise<Result>,
): Promise<Result> {
  return runLongRead(largeReads, limits, caller, read);
}
