import type { RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';

/** Who caused an event and by which request. Requests that change something are served to actors alone. */
export function eventOrigin({ actor, requestId, traceparent }: RequestContext): {
  actor: Actor;
  requestId: string;
  traceparent: string | null;
} {
  if (!actor) throw new Error('a change without an actor');
  return { actor, requestId, traceparent };
}
