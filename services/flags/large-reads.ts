import type { RequestContext } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';
import pLimit from 'p-limit';

/**
 * A process has ten connections by default. Four leave the others to changes and short reads. More would not be faster:
 * large reads share one CPU.
 */
const maxLargeReads = 4;

const limit = pLimit(maxLargeReads);

/**
 * Runs a read whose size grows with the number of flags, as soon as fewer than `maxLargeReads` others run. Such a read
 * occupies a connection until this process has taken in all its rows, which takes seconds when many callers list
 * thousands of flags. Without the limit, changes would find no connection. Throws `unavailable` without reading when
 * the deadline of the request has passed, so that the reads of callers who gave up do not delay those of others.
 */
export function runLargeRead<Result>({ deadline }: RequestContext, read: () => Promise<Result>): Promise<Result> {
  return limit(async () => {
    if (Date.now() >= deadline) {
      throw new AppError('unavailable', 'Too many callers list or export flags.', { retryAfterSeconds: 1 });
    }
    return await read();
  });
}
