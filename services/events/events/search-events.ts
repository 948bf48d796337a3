import type { Actor } from '@yardarm/shared/contracts';
import type { Database } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { type Search, visibleTo } from './event.ts';
import { type EventRow, searchLog } from './events.repo.ts';

/** The events of the log that match and that the actor may see, newest first, and how many there are in all. */
export async function searchEvents(
  db: Database<EventsTables>,
  search: Search,
  actor: Actor,
): Promise<{ rows: EventRow[]; total: number }> {
  return searchLog(db, search, visibleTo(actor));
}
