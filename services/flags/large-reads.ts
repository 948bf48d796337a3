import { createTurns } from '@yardarm/shared/waiting';

/**
 * A process has ten connections by default. Four leave the others to changes and short reads. More would not be faster:
 * large reads share one CPU.
 */
const maxLargeReads = 4;

/**
 * Runs a read whose size grows with the number of flags, as soon as fewer than `maxLargeReads` others run. Such a read
 * occupies a connection until this process has taken in all its rows, which takes seconds when many callers list
 * thousands of flags. Without the limit, changes would find no connection.
 */
export const runLargeRead = createTurns(maxLargeReads, 'Too many callers list or export flags.');
