import { readFileSync } from 'node:fs';

/** The memory of a process in MB. Pages that several processes share are divided among them. Linux only. */
export function proportionalSize(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}

/** Frequent enough to see a peak between two collections. One reading takes a millisecond. */
const sampleMs = 500;

/** Reads the memory of processes regularly. `stop` returns the largest reading of each. */
export function sampleSizes(pids: readonly number[]): { stop(): number[] } {
  const largest = pids.map(proportionalSize);
  const timer = setInterval(() => {
    for (const [n, pid] of pids.entries()) largest[n] = Math.max(largest[n]!, proportionalSize(pid));
  }, sampleMs);
  return {
    stop() {
      clearInterval(timer);
      return largest;
    },
  };
}
