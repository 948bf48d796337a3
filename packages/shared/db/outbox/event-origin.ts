import type { Actor } from '../../contracts/actor.ts';

export interface EventOrigin {
  actor: Actor;
  requestId: string;
  traceparent: string | null;
}

/** The origin of the events of a request. Throws without an actor: only actors may change something. */
export function eventOrigin(context: Omit<EventOrigin, 'actor'> & { actor: Actor | null }): EventOrigin {
  const { actor, requestId, traceparent } = context;
  if (!actor) throw new Error('a change without an actor');
  return { actor, requestId, traceparent };
}
