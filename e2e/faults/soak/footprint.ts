import { readdirSync } from 'node:fs';
import type { Replica } from '../replica.ts';

/** What a process keeps at a time of the run. */
export interface Footprint {
  atMs: number;
  bytes: number;
  handles: number;
}

/** Null while the process is down or does not answer. Linux only. */
export async function footprintOf(replica: Replica, atMs: number): Promise<Footprint | null> {
  const bytes = await replica.keptBytes();
  if (bytes === null) return null;
  try {
    return { atMs, bytes, handles: readdirSync(`/proc/${replica.pid}/fd`).length };
  } catch {
    return null;
  }
}

/** The caches of a process are full by then. */
export const warmMs = 600_000;
const windowMs = 300_000;
/** A growth that a leak of an hour exceeds, and the buffers that are in use at a moment do not. */
const allowed = 1.1;
/** Connections that happen to be open. */
const moreHandles = 3;

export interface Growth {
  from: Footprint;
  to: Footprint;
}

/**
 * The least of each figure in the five minutes after the first ten, and in the last five. Null when the run has no two
 * such windows.
 */
export function growthOf(samples: readonly Footprint[]): Growth | null {
  const end = samples.at(-1)?.atMs ?? 0;
  if (end < warmMs + 2 * windowMs) return null;
  const least = (from: number, to: number): Footprint => {
    const within = samples.filter(({ atMs }) => atMs >= from && atMs <= to);
    return {
      atMs: to,
      bytes: Math.min(...within.map(({ bytes }) => bytes)),
      handles: Math.min(...within.map(({ handles }) => handles)),
    };
  };
  return { from: least(warmMs, warmMs + windowMs), to: least(end - windowMs, end) };
}

/** Sentences on what has grown by more than is allowed. */
export function violationsOfGrowth(name: string, { from, to }: Growth): string[] {
  return [
    ...(to.bytes > from.bytes * allowed ? [`${name} has grown from ${from.bytes} to ${to.bytes} bytes`] : []),
    ...(to.handles > from.handles * allowed + moreHandles
      ? [`${name} had ${from.handles} handles open and has ${to.handles}`]
      : []),
  ];
}
