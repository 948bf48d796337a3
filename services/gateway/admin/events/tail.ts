import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { type Event, type exportEvents, readAfter } from '@yardarm/shared/contracts/events';
import type { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { z } from 'zod';

/** The events of the log after an id, up to `through`. `head` is the last id of the log, in the epoch `epoch`. */
export interface LogPage {
  events: Event[];
  after: number;
  through: number;
  head: number;
  epoch: string | null;
}

type LogQuery = z.input<typeof readAfter.input>;

export async function readPage(
  bus: Bus,
  contract: typeof readAfter | typeof exportEvents,
  query: LogQuery,
  context: RequestContext,
): Promise<LogPage> {
  const page = await bus.request(contract, query, context);
  return { ...page, epoch: page.epoch ?? null };
}

/** Reads a page. Equal reads at the same time are one request. */
export type SharedRead = (query: LogQuery, context: RequestContext) => Promise<LogPage>;

/**
 * A hint wakes all streams of this process at once, and those at the same position would send the same request. With
 * `turns` the reads that differ wait for each other.
 */
export function createSharedRead(bus: Bus, turns?: ConcurrencyLimit): SharedRead {
  const pending = new Map<string, Promise<LogPage>>();
  return (query, context) => {
    // Only the grants decide what an actor sees of the log (visibility.ts of events), so they are part of the key.
    const key = JSON.stringify([query, context.actor?.grants]);
    const same = pending.get(key);
    if (same !== undefined) return same;
    const read = () => readPage(bus, readAfter, query, context);
    const page = (turns === undefined ? read() : turns.run(context, read)).finally(() => pending.delete(key));
    pending.set(key, page);
    return page;
  };
}
