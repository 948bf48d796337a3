/**
 * The delay before a restart, after a number of failures in a row: 0.2 s, doubled each time, at most 10 s. It is short
 * at first because most failures happen once. With 10 s a service that cannot start does not use up a core.
 */
export function restartDelayMs(failures: number): number {
  return Math.min(10_000, 200 * 2 ** (failures - 1));
}

/** A process that ran for this long has recovered, and its next failure counts as the first. */
export const steadyAfterMs = 10_000;
