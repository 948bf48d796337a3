import { type Migration, sql } from '@yardarm/shared/db';
import { makeDropOldestPartition } from './0003-retention.ts';

/**
 * Integrations reads the log itself, so retention waits for no relay. `relay_position` stays for one release: the relay
 * of the release before uses it.
 */
export const noRelay: Migration = {
  up: (db) => makeDropOldestPartition(db, sql`true`),
};
