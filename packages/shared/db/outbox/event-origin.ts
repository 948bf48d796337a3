import { type Actor, systemUserId } from '../../contracts/actor.ts';
import type { PublishedEvent } from '../../contracts/events/event.ts';

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

/** The origin of the events that follow from another service's event: they have its actor, without grants. */
export function originOfEvent(event: PublishedEvent): EventOrigin {
  const { createdBy, createdByUsername: username, createdByUserId, requestId, traceparent, eventId } = event;
  const actor = { kind: 'user' as const, id: createdByUserId ?? systemUserId, username, grants: [] };
  return {
    actor: createdBy === username ? actor : { ...actor, email: createdBy },
    requestId: requestId ?? eventId,
    traceparent,
  };
}
