import { inPieces, type RequestContext } from '@yardarm/shared/bus';
import type { Event } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { EventsTables } from '../db/schema.ts';
import { publicEvent, type Search } from './event.ts';
import { searchEvents } from './search-events.ts';

/** The page that matches, in pieces that fit a message; at least one, for the total. */
export async function* answerSearch(
  db: Database<EventsTables>,
  search: Search,
  { actor }: RequestContext,
): AsyncGenerator<{ events: Event[]; totalEvents: number }> {
  // The contract asks for an actor, so there is one: this is for the compiler, and for a contract that once asks for less.
  if (actor === null) throw new AppError('no-access', 'Only a known caller may search events.');
  const { rows, total: totalEvents } = await searchEvents(db, search, actor);
  const pieces = inPieces(rows.map(publicEvent));
  if (pieces.length === 0) yield { events: [], totalEvents };
  for (const events of pieces) yield { events, totalEvents };
}
