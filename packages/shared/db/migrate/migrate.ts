import type { Migration } from 'kysely/migration';
import type { ServiceName } from '../../contracts/contract.ts';
import type { Logger } from '../../log/index.ts';

export type { Migration } from 'kysely/migration';

/** The migrations of one service; the keys ('0001-...') say their order. */
export interface MigrationSet {
  service: ServiceName;
  migrations: Record<string, Migration>;
}

export interface MigrateOptions {
  ownerUrl: string;
  services: { set: MigrationSet; loginUrl: string }[];
  log: Logger;
}

/** Migrating cannot go on, in words for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export async function migrateAll(_options: MigrateOptions): Promise<void> {
  throw new Error('on its way');
}
