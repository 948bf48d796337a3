import type { Transaction } from '@yardarm/shared/db';
import { Counter, metrics } from '@yardarm/shared/telemetry';
import type { FlagsTables } from '../db/schema.ts';
import { takeEvents } from './application-events.repo.ts';
import type { Reporter, UsageBounds } from './usage.ts';

const omittedEvents = new Counter({
  name: 'yardarm_flags_application_events_omitted_total',
  help: 'Events of applications that were not made, since their token had made its events of the day',
  registers: [metrics],
});

/**
 * Those of the events that their tokens may still make today, in their order. A frontend token, which every page shows,
 * makes none. The first ones of a token are made.
 */
export async function withinEventsOfTokens<Event>(
  trx: Transaction<FlagsTables>,
  events: readonly { by: Reporter; event: Event }[],
  { eventsOfToken }: Pick<UsageBounds, 'eventsOfToken'>,
): Promise<Event[]> {
  const counted = events.filter(({ by }) => !by.isFrontend);
  if (counted.length === 0) return [];
  const byToken = Map.groupBy(counted, ({ by }) => by.tokenId);
  const wanted = [...byToken].map(([tokenId, { length }]) => ({ tokenId, events: length }));
  const left = await takeEvents(trx, wanted, eventsOfToken);
  const made = counted.filter(({ by }) => {
    const allowed = left.get(by.tokenId) ?? 0;
    left.set(by.tokenId, allowed - 1);
    return allowed > 0;
  });
  omittedEvents.inc(counted.length - made.length);
  return made.map(({ event }) => event);
}
