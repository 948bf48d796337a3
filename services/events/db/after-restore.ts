import { type Kysely, sql } from '@yardarm/shared/db';
import { findHead } from '../chain/chain.repo.ts';
import type { Link } from '../chain/chain.ts';
import type { EventsTables } from './schema.ts';

/**
 * RECORDED has events that the log does not have, and integrations drops its messages of another epoch. The relay
 * publishes the log again as after the loss of the stream. Returns the head of the log.
 */
export async function afterRestore(db: Kysely<unknown>): Promise<Link> {
  await sql`update relay_position set incarnation = null`.execute(db);
  return findHead(db as Kysely<EventsTables>);
}
