import { randomUUID } from 'node:crypto';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { systemActor } from '@yardarm/shared/contracts';
import { type Event, readAfter } from '@yardarm/shared/contracts/events';
import type { z } from 'zod';

/** One request reads at most fifty thousand ids of the log, which takes tens of milliseconds. */
const requestLimitMs = 10_000;

/** Consecutive events of the log, up to the id `through`. */
export interface LogPage {
  events: readonly Event[];
  /** The trace context of each event. The release before does not send them. */
  traceparents?: readonly (string | null)[] | undefined;
  through: number;
}

/** Requests the next events of the log as the system, which may read all of them. */
export async function fetchPage(
  bus: Bus,
  query: z.input<typeof readAfter.input>,
): Promise<z.output<typeof readAfter.output>> {
  return bus.request(readAfter, query, logContext(requestLimitMs));
}

/** The context of a request to the log by the service itself. */
export function logContext(limitMs: number): RequestContext {
  return { requestId: randomUUID(), actor: systemActor, deadline: Date.now() + limitMs, traceparent: null };
}
