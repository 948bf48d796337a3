import type { RequestContext } from '@yardarm/shared/bus';
import type { Event } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { EventsTables } from '../db/schema.ts';
import { toEvent } from '../events/event.ts';
import { isVisible, visibleTo } from '../events/visibility.ts';
import { findTail, type Tail } from './tail.repo.ts';
import type { TailQuery } from './tail.ts';

interface Page extends Omit<Tail, 'rows'> {
  events: Event[];
  traceparents: (string | null)[];
}

/** Reads a range of the log. An empty range also has an answer, which says how far the read went. */
export async function readTail(db: Database<EventsTables>, query: TailQuery, { actor }: RequestContext): Promise<Page> {
  // The contract requires an actor. The check satisfies the compiler and guards against a contract without that rule.
  if (actor === null) throw new AppError('no-access', 'Only a known caller may read events.');
  const { rows, ...range } = await findTail(db, query);
  const visibility = visibleTo(actor);
  const page: Page = { events: [], traceparents: [], ...range };
  for (const row of rows) {
    const event = toEvent(row);
    if (!isVisible(event, visibility)) continue;
    page.events.push(event);
    page.traceparents.push(row.traceparent);
  }
  return page;
}
