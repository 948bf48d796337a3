import type { Actor } from '@yardarm/shared/contracts';
import type { Database } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { type LoggedEvent, type Search, visibleTo } from './event.ts';
import { searchLog } from './events.repo.ts';

/** The events of the log that match and that the actor may see, newest first, and how many there are in all. */
export async function searchEvents(
  db: Database<EventsTables>,
  search: Search,
  actor: Actor,
): Promise<{ rows: LoggedEvent[]; total: number }> {
  return searchLog(db, search, visibleTo(actor));
}
