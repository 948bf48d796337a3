import type { Database } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { insertMissedSince } from './missed-events.repo.ts';
import type { IdRange } from './missed-events.ts';

/**
 * Has every event from `first` on taken once more, from the log and not from RECORDED: for an operator who finds that integrations lack
 * some. Each integration gets what it wanted then and has not got; nothing is delivered twice, and nothing goes to one that began later.
 * Returns the ids, or null when none so new has been taken yet. Works as soon as a replica of integrations and events run.
 */
export async function replayRecorded(db: Database<IntegrationsTables>, first: number): Promise<IdRange | null> {
  const last = await insertMissedSince(db.kysely, first);
  return first <= last ? { first, last } : null;
}
