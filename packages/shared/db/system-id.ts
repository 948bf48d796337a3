import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../config/index.ts';
import { isMissing } from './failures.ts';

/** Reads the id that provisioning gave this database. Throws ConfigError without one. */
export async function findSystemId<T>(db: Kysely<T>): Promise<string> {
  try {
    const { rows } = await sql<{ id: string }>`select id from system.identity`.execute(db);
    if (rows[0]) return rows[0].id;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  throw new ConfigError('The database of DATABASE_URL has no system id for this login: run the migrations.');
}
