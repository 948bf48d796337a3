import { inject, test } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** `long` in `npm run test:long`, else `short`. */
    depth: 'short' | 'long';
    /** The seed of the property tests of this run. */
    propertySeed: number;
  }
}

/** Whether the run has the full depth. */
export const isLongRun = inject('depth') === 'long';

/** `test` in a long run. A short run does not have the test, and does not count it as skipped. */
export const longTest: (title: string, run: () => Promise<void> | void, timeoutMs?: number) => void = isLongRun
  ? test
  : () => undefined;

/** All cases of a test in a long run, and the first `count` in `npm test`. */
export function casesOfRun<T>(count: number, cases: readonly T[]): T[] {
  return isLongRun ? [...cases] : cases.slice(0, count);
}

/** How often a property is tried: `full` times in a long run, a tenth of it but at least 3 times in `npm test`. */
export function propertyRuns(full: number): number {
  return isLongRun ? full : Math.min(full, Math.max(3, Math.ceil(full / 10)));
}
