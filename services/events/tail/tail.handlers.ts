import { inPieces, type RequestContext } from '@yardarm/shared/bus';
import type { Event } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { EventsTables } from '../db/schema.ts';
import { toEvent } from '../events/event.ts';
import { isVisible, visibleTo } from '../events/visibility.ts';
import { findTail } from './tail.repo.ts';
import type { TailQuery } from './tail.ts';

/** One look at the log behind an id, in pieces that fit a message; at least one, which says how far it went. */
export async function* answerTail(
  db: Database<EventsTables>,
  query: TailQuery,
  { actor }: RequestContext,
): AsyncGenerator<{ events: Event[]; after: number; through: number; head: number }> {
  // The contract asks for an actor, so there is one: this is for the compiler, and for a contract that once asks for less.
  if (actor === null) throw new AppError('no-access', 'Only a known caller may read events.');
  const { rows, ...whole } = await findTail(db, query);
  const visibility = visibleTo(actor);
  const pieces = inPieces(rows.map(toEvent).filter((event) => isVisible(event, visibility)));
  if (pieces.length === 0) yield { events: [], ...whole };
  for (const events of pieces) yield { events, ...whole };
}
