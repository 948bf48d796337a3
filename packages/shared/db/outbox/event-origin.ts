import type { Actor } from '../../contracts/actor.ts';

/** Who caused an event, and by which request. */
export interface EventOrigin {
  actor: Actor;
  requestId: string;
  traceparent: string | null;
}

/** The origin of the events of a request. Requests that change something are served to actors alone, so one without is a fault of ours. */
export function eventOrigin(context: Omit<EventOrigin, 'actor'> & { actor: Actor | null }): EventOrigin {
  const { actor, requestId, traceparent } = context;
  if (!actor) throw new Error('a change without an actor');
  return { actor, requestId, traceparent };
}
