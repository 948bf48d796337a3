import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { omittedApplicationEvents } from '../metrics.ts';
import { noToken, takeShares } from './token-shares.repo.ts';
import type { Reporter, UsageBounds } from './usage.ts';

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
  const byToken = Map.groupBy(counted, ({ by }) => by.tokenId ?? noToken);
  const wanted = [...byToken].map(([tokenId, { length }]) => ({ tokenId, count: length, bound: eventsOfToken }));
  const left = await takeShares(trx, 'application_events', wanted);
  const made = counted.filter(({ by }) => {
    const tokenId = by.tokenId ?? noToken;
    const allowed = left.get(tokenId) ?? 0;
    left.set(tokenId, allowed - 1);
    return allowed > 0;
  });
  trx.onCommit(() => omittedApplicationEvents.inc(counted.length - made.length));
  return made.map(({ event }) => event);
}
