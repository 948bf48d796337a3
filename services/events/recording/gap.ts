import { sourceSequenceHeader } from '@yardarm/shared/contracts';
import type { Message } from './recording.ts';

/**
 * Each source numbers its events without a gap, in the order in which it first publishes them. Several publishes are in
 * flight at a time, so numbers arrive a little out of order. A replay publishes numbers again. A number that is skipped
 * and does not arrive is a lost event, which the source's outbox still holds.
 */
export interface SourceNumbers {
  /** The highest number that arrived. Numbers before the first arrival are unknown and not counted as missing. */
  highest: number;
  /** The missing numbers below `highest`, in rising order. */
  gaps: readonly Gap[];
}

export interface Gap {
  first: number;
  last: number;
  /** When a higher number arrived, ISO 8601. */
  since: string;
}

/** By source. */
export function numbersOf(messages: readonly Message[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  for (const { subject, headers } of messages) {
    const number = Number(headers?.[sourceSequenceHeader]);
    const source = subject.split('.')[1];
    if (source === undefined || !Number.isSafeInteger(number) || number < 1) continue;
    const known = numbers.get(source);
    if (known === undefined) numbers.set(source, [number]);
    else known.push(number);
  }
  return numbers;
}

export function advance(known: SourceNumbers | undefined, arrived: readonly number[], now: Date): SourceNumbers {
  const numbers = [...new Set(arrived)].sort((a, b) => a - b);
  let highest = known?.highest ?? (numbers[0] ?? 1) - 1;
  const lateArrivals = new Set<number>();
  const skipped: Gap[] = [];
  for (const number of numbers) {
    if (number <= highest) {
      lateArrivals.add(number);
      continue;
    }
    if (number > highest + 1) skipped.push({ first: highest + 1, last: number - 1, since: now.toISOString() });
    highest = number;
  }
  return { highest, gaps: [...(known?.gaps ?? []).flatMap((gap) => closeGap(gap, lateArrivals)), ...skipped] };
}

function closeGap(gap: Gap, arrived: ReadonlySet<number>): Gap[] {
  const rest: Gap[] = [];
  let { first } = gap;
  for (const number of arrived) {
    if (number < first || number > gap.last) continue;
    if (number > first) rest.push({ ...gap, first, last: number - 1 });
    first = number + 1;
  }
  return first <= gap.last ? [...rest, { ...gap, first }] : rest;
}

/** A late number arrives within the five seconds of a publish and one or two retries. */
const overdueMs = 60_000;

export function overdueGaps({ gaps }: SourceNumbers, now: Date): Gap[] {
  return gaps.filter(({ since }) => now.getTime() - Date.parse(since) > overdueMs);
}
