import { readFileSync } from 'node:fs';

/** The memory of a process in MB. Pages that several processes share are divided among them. Linux only. */
export function proportionalSize(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}
