import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { type Event, type exportEvents, readAfter } from '@yardarm/shared/contracts/events';
import type { z } from 'zod';

/** One look at the log: its events, and which ids it went over. */
export interface Look {
  events: Event[];
  after: number;
  through: number;
  head: number;
}

type LookQuery = z.input<typeof readAfter.input>;

/** Takes one look at the log behind an id. */
export async function look(
  bus: Bus,
  contract: typeof readAfter | typeof exportEvents,
  query: LookQuery,
  context: RequestContext,
): Promise<Look> {
  const found: Look = { events: [], after: query.after, through: query.after, head: 0 };
  for await (const { events, ...whole } of bus.requestMany(contract, query, context)) {
    found.events.push(...events);
    Object.assign(found, whole);
  }
  return found;
}

/** Takes a look at the log behind an id, together with everybody who asks for the same while it is under way. */
export type SharedLook = (query: LookQuery, context: RequestContext) => Promise<Look>;

/**
 * Makes the looks that the streams of this process share: a hint wakes all of them at once, and those who stand at the same place would
 * all ask for the same.
 */
export function createSharedLook(bus: Bus): SharedLook {
  const underWay = new Map<string, Promise<Look>>();
  return (query, context) => {
    // What an actor sees of the log follows from its grants alone (visibility.ts of events): nobody shares a look with who sees more.
    const key = JSON.stringify([query, context.actor?.grants]);
    const same = underWay.get(key);
    if (same !== undefined) return same;
    const taken = look(bus, readAfter, query, context).finally(() => underWay.delete(key));
    underWay.set(key, taken);
    return taken;
  };
}
