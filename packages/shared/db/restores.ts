import { type Kysely, sql } from 'kysely';
import { epochHeader } from '../contracts/streams.ts';
import type { Database } from './database.ts';
import type { SharedTables } from './tables.ts';

/**
 * NATS is newer than a database that was restored from a backup: its streams have events of changes that the database
 * does not have, under ids that the restored log gives again. Each restore therefore begins an epoch
 * (migrate/after-restore.ts). EVENTS carries it in a header. Its readers drop messages of another epoch, and publishers
 * publish again what they keep. A database that was never restored has no epoch, and its messages have
 * no header, as those of the release before.
 */
export async function createRestoresTable<T>(db: Kysely<T>): Promise<void> {
  // Of all services with the same contents, because a login sees its own schema only.
  await sql`
    create table restores (
      number integer generated always as identity,
      epoch uuid not null,
      restored_at timestamptz not null default clock_timestamp(),
      constraint restores_pkey primary key (number)
    )`.execute(db);
}

/** The epoch of the database; null if it was never restored. Services are stopped during a restore. */
export async function findEpoch(db: Kysely<SharedTables>): Promise<string | null> {
  const row = await db.selectFrom('restores').select('epoch').orderBy('number', 'desc').limit(1).executeTakeFirst();
  return row?.epoch ?? null;
}

export function epochHeaders(epoch: string | null): Record<string, string> {
  return epoch === null ? {} : { [epochHeader]: epoch };
}

/** The message id in this epoch: a stream drops an id that it knows, also one of another epoch, as a duplicate. */
export function messageIdIn(epoch: string | null, id: string): string {
  return epoch === null ? id : `${id}-${epoch}`;
}

export function isOfEpoch(message: { headers?: Readonly<Record<string, string>> }, epoch: string | null): boolean {
  return (message.headers?.[epochHeader] ?? null) === epoch;
}

/** The handler of a durable of EVENTS, which drops messages of another epoch. */
export function inOwnEpoch<T extends SharedTables, M extends { headers: Readonly<Record<string, string>> }>(
  db: Database<T>,
  handle: (message: M) => Promise<void>,
): (message: M) => Promise<void> {
  return async (message) => {
    if (isOfEpoch(message, await findEpoch(db.kysely as unknown as Kysely<SharedTables>))) await handle(message);
  };
}
