import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ServiceName } from '../../contracts/contract.ts';

/** A migration after which services of the release before cannot run says from which release on they can. */
export interface SchemaMigration extends Migration {
  /**
   * The name of an earlier migration. Services that do not know it end when they find this one applied. Without it the
   * services of the release before run on the schema.
   */
  needs?: string;
}

/** The migrations of one service, in the order of their keys ('0001-...'). */
export interface MigrationSet {
  service: ServiceName;
  migrations: Record<string, SchemaMigration>;
  /** Optional extensions that make the service faster, such as pg_trgm. Created in `public` before the migrations. */
  extensions?: readonly string[];
  /**
   * What a restored database needs (after-restore.ts), as the owner of the schema. It may be repeated. The log returns
   * its newest event.
   */
  afterRestore?(db: Kysely<unknown>, epoch: string): Promise<{ id: number; hash: string } | null>;
}

/** Migration cannot continue. The message is for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export const migrationTable = 'migration';
export const migrationLockTable = 'migration_lock';
