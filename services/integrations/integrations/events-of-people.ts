import { can, noAccess } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import { eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import type { Parameters } from '../providers/provider.ts';
import { badData, type Configuration, covers, isSameParameters, problem } from './integration.ts';

/**
 * Refuses an actor who may not read events of people in the log and would send them, or choose their types. A disabled
 * integration is refused too, unless it had these types `before`: another actor would enable it and not see where it
 * sends. Disabling keeps the types.
 */
export function requireReadableEvents(
  actor: Actor | null,
  { enabled, events }: Pick<Configuration, 'enabled' | 'events'>,
  before: Pick<Configuration, 'events'> = { events: [] },
): void {
  if (mayReadEventsOfPeople(actor)) return;
  const had = typesOfPeople(before.events);
  const isChosen = typesOfPeople(events).some((type) => enabled || !had.includes(type));
  if (isChosen) throw noAccess(['READ_LOGS'], {});
}

function typesOfPeople(patterns: readonly string[]): string[] {
  return eventTypesOfPeople.filter((type) => patterns.some((pattern) => covers(pattern, type)));
}

export function mayReadEventsOfPeople(actor: Actor | null): boolean {
  return actor !== null && can(actor, 'READ_LOGS');
}

/**
 * Whether an integration may be sent events of people after a save. The parameters decide where and how events are
 * sent. So an actor who may not read these events can send them nowhere else, and in no other form. An actor who may
 * allows it again with parameters that they know: visible ones, and no mask of a value that somebody else has stored.
 * Throws `bad-data` for such masks when the integration would be sent these events.
 */
export function decideEventsOfPeople(
  actor: Actor | null,
  before: { parameters: Parameters; maySendEventsOfPeople: boolean },
  after: Configuration,
  kept: readonly string[],
): boolean {
  if (before.maySendEventsOfPeople)
    return mayReadEventsOfPeople(actor) || isSameParameters(before.parameters, after.parameters);
  if (!mayReadEventsOfPeople(actor)) return false;
  if (kept.length > 0 && after.enabled && typesOfPeople(after.events).length > 0) {
    const complaint =
      'should be sent again unmasked, because an actor without READ_LOGS has changed the parameters, and .events names events of people';
    throw badData(kept.map((name) => problem(['parameters', name], complaint)));
  }
  return kept.length === 0;
}
