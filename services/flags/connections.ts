import { type Caller, ConcurrencyLimit } from '@yardarm/shared/waiting';

/**
 * Changes may all wait for locks, in a transaction each. Groups of requests have one more connection, and wait for no
 * lock. One stays for what takes milliseconds: quick reads, revisions and small snapshots, reports of usage, jobs.
 */
const changesPart = 0.4;
const groups = 1;
const short = 1;

/** How many connections of a process changes and long reads may occupy. With ten, each has four. */
export function connectionShares(maxConnections: number): { changes: number; longReads: number } {
  const changes = Math.max(1, Math.floor(maxConnections * changesPart));
  return { changes, longReads: Math.max(1, maxConnections - changes - groups - short) };
}

/** The limits that follow DATABASE_MAX_CONNECTIONS. What exceeds them waits in memory, and occupies no connection. */
export interface ConnectionLimits {
  /** Of `recordChange`. Long changes of one caller, such as those of thousands of flags, leave a place to others. */
  changes: ConcurrencyLimit;
  /** Of large reads, searches in texts, large snapshots and the playground. Each kind also has a limit of its own. */
  longReads: ConcurrencyLimit;
}

export function limitConnections(maxConnections: number): ConnectionLimits {
  const { changes, longReads } = connectionShares(maxConnections);
  const refusal = 'The deadline passed while the change waited for others; nothing was done.';
  return {
    changes: new ConcurrencyLimit(changes, refusal, { maxOfActor: Math.max(1, changes - 1) }),
    longReads: new ConcurrencyLimit(longReads, 'Other reads took all of the time.'),
  };
}

/** Runs a long read once its kind and all long reads together have a place for it. */
export function runLongRead<Result>(
  ofKind: ConcurrencyLimit,
  { longReads }: Pick<ConnectionLimits, 'longReads'>,
  caller: Caller,
  read: () => Promise<Result>,
): Promise<Result> {
  return ofKind.run(caller, () => longReads.run(caller, read));
}
