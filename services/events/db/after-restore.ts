import { type Kysely, sql } from '@yardarm/shared/db';
import { findHead } from '../chain/chain.repo.ts';
import type { Link } from '../chain/chain.ts';
import type { EventsTables } from './schema.ts';

/**
 * Readers that are ahead of the restored log continue behind its last event (tail/tail.repo.ts). Returns the head of
 * the log.
 */
export async function afterRestore(db: Kysely<unknown>, epoch: string): Promise<Link> {
  await sql`update restores set last_id = (select last_id from recorder_position) where epoch = ${epoch}`.execute(db);
  return findHead(db as Kysely<EventsTables>);
}
