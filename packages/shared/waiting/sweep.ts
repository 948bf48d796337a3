import { pause } from './wake-up.ts';

export interface Sweep {
  /** Sweeps once now. Throws what the sweep throws. */
  processAll(): Promise<void>;
  /** Resolves when no sweep runs any more. */
  stop(): Promise<void>;
}

export interface SweepOptions {
  intervalMs: number;
  /** Called after a sweep that failed. The next one comes after the interval. */
  onFailure(error: unknown): void;
}

/** Calls `sweep` at an interval, first after one interval. Its signal aborts when the sweep is to end early. */
export function startSweep(
  { intervalMs, onFailure }: SweepOptions,
  sweep: (signal: AbortSignal) => Promise<void>,
): Sweep {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function loop(): Promise<void> {
    for (;;) {
      await pause(intervalMs, signal);
      if (signal.aborted) return;
      await sweep(signal).catch(onFailure);
    }
  }

  const running = loop();
  return {
    processAll: () => sweep(signal),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
