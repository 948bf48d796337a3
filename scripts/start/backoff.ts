/**
 * How long to wait before starting again what ended for the `failures`th time in a row: 0.2 s, doubling to 10 s. The
 * first is short because most ends are one-off; 10 s keep a service that cannot start from burning a core.
 */
export function restartDelayMs(failures: number): number {
  return Math.min(10_000, 200 * 2 ** (failures - 1));
}

/** Who ran this long has got over what ended it before: the next end counts as the first. */
export const steadyAfterMs = 10_000;
