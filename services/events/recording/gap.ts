import { sourceSequenceHeader } from '@yardarm/shared/contracts';
import type { Message } from './recording.ts';

/**
 * Every source numbers what it publishes without a gap, in the order in which it first publishes it; several flags' events are on their
 * way at once, so that numbers arrive a little out of order, and again whenever something is published again. A number that is
 * passed over and does not come is an event that was lost on the way: the source's outbox still holds it.
 */
export interface SourceNumbers {
  /** The highest number seen. Nothing is said of what came before the first one seen. */
  highest: number;
  /** Numbers below it that have not come, in rising order. */
  gaps: readonly Gap[];
}

export interface Gap {
  first: number;
  last: number;
  /** When it was passed over, ISO 8601. */
  since: string;
}

/** The numbers that messages of EVENTS carry, by source. */
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

/** What is known of a source once these numbers of it have arrived. */
export function advance(known: SourceNumbers | undefined, arrived: readonly number[], now: Date): SourceNumbers {
  const numbers = [...new Set(arrived)].sort((a, b) => a - b);
  let highest = known?.highest ?? (numbers[0] ?? 1) - 1;
  const late = new Set<number>();
  const passed: Gap[] = [];
  for (const number of numbers) {
    if (number <= highest) {
      late.add(number);
      continue;
    }
    if (number > highest + 1) passed.push({ first: highest + 1, last: number - 1, since: now.toISOString() });
    highest = number;
  }
  return { highest, gaps: [...(known?.gaps ?? []).flatMap((gap) => without(gap, late)), ...passed] };
}

function without(gap: Gap, arrived: ReadonlySet<number>): Gap[] {
  const rest: Gap[] = [];
  let { first } = gap;
  for (const number of arrived) {
    if (number < first || number > gap.last) continue;
    if (number > first) rest.push({ ...gap, first, last: number - 1 });
    first = number + 1;
  }
  return first <= gap.last ? [...rest, { ...gap, first }] : rest;
}

/** What is out of order arrives within a publish's five seconds and a retry or two. */
const timeoutMs = 60_000;

/** The gaps that stay, and that somebody has to know of. */
export function overdueGaps({ gaps }: SourceNumbers, now: Date): Gap[] {
  return gaps.filter(({ since }) => now.getTime() - Date.parse(since) > timeoutMs);
}
