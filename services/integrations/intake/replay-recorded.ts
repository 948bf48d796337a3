import type { Database } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { type IdRange, insertMissedSince } from './replays.repo.ts';

/**
 * Schedules every event of the log from `first` on for another intake: for an operator who finds that integrations lack
 * events. Each integration receives the events that it should have received and has not.
 * No event is delivered twice, and none goes to an integration that began later. Returns the ids, or null if intake has
 * handled no event that new. Takes effect when a replica of integrations and of events runs.
 */
export async function replayRecorded(db: Database<IntegrationsTables>, first: number): Promise<IdRange | null> {
  const last = await insertMissedSince(db.kysely, first);
  return first <= last ? { first, last } : null;
}
