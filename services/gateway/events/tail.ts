import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { Event, exportEvents, readAfter } from '@yardarm/shared/contracts/events';
import type { z } from 'zod';

/** One look at the log: its events, and which ids it went over. */
export interface Look {
  events: Event[];
  after: number;
  through: number;
  head: number;
}

/** Takes one look at the log behind an id. */
export async function look(
  bus: Bus,
  contract: typeof readAfter | typeof exportEvents,
  query: z.input<typeof readAfter.input>,
  context: RequestContext,
): Promise<Look> {
  const found: Look = { events: [], after: query.after, through: query.after, head: 0 };
  for await (const { events, ...whole } of bus.requestMany(contract, query, context)) {
    found.events.push(...events);
    Object.assign(found, whole);
  }
  return found;
}
