import { randomUUID } from 'node:crypto';
import type { Bus } from '@yardarm/shared/bus';
import { systemActor } from '@yardarm/shared/contracts';
import { findEvents, searchEvents } from '@yardarm/shared/contracts/events';
import { type SearchKind, searchKinds } from './search-kinds.ts';

export interface Measured {
  what: string;
  total: number;
  /** Milliseconds of the first search, which a replica answers that knows nothing; then of the searches after it. */
  first: number;
  p50: number;
  p99: number;
}

/**
 * Pages of a hundred, one search at a time and `times` of each kind, asked over the bus of an events service that has just started on a
 * generated log.
 */
export async function measureSearches(
  bus: Bus,
  { times, onMeasured }: { times: number; onMeasured?(measured: Measured): void },
): Promise<Measured[]> {
  const all: Measured[] = [];
  // Connections and plans are no part of what is measured.
  for (let nth = 0; nth < 20; nth++) await totalOf(bus, searchKinds[0]!, nth);
  for (const kind of searchKinds) {
    const spent: number[] = [];
    let total = 0;
    for (let nth = 0; nth <= times; nth++) {
      const began = performance.now();
      total = await totalOf(bus, kind, nth);
      spent.push(performance.now() - began);
    }
    const [first = 0, ...later] = spent;
    const measured = { what: kind.what, total, first, p50: quantile(later, 0.5), p99: quantile(later, 0.99) };
    onMeasured?.(measured);
    all.push(measured);
  }
  return all;
}

async function totalOf(bus: Bus, kind: SearchKind, nth: number): Promise<number> {
  const context = { requestId: randomUUID(), actor: systemActor, deadline: Date.now() + 10_000, traceparent: null };
  let total = 0;
  if ('search' in kind) {
    const input = searchEvents.input.parse(kind.search(nth));
    for await (const piece of bus.requestMany(searchEvents, input, context)) total = piece.totalEvents;
  } else {
    const input = findEvents.input.parse(kind.find(nth));
    for await (const piece of bus.requestMany(findEvents, input, context)) total = piece.total;
  }
  return total;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
