import { type Kysely, sql } from 'kysely';
import type { Logger } from '../log/index.ts';
import type { Database } from './database.ts';
import type { SharedTables } from './tables.ts';
import type { Transaction } from './transaction.ts';

/** The lease has gone to another holder, or will: nothing may be written in its name any more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface LeaseOptions<T extends SharedTables> {
  db: Database<T>;
  name: string;
  log: Logger;
  onAcquired?(epoch: number): void;
  onLost?(): void;
}

export interface Lease {
  /** The epoch while this process may act as the holder. */
  held(): { epoch: number } | null;
  /** Waits until it is held; rejects with the signal's reason. */
  whenHeld(signal: AbortSignal): Promise<{ epoch: number }>;
  /** Throws LeaseLostError unless the epoch is current; until `trx` ends, nobody else can take the lease. */
  assertHeld<U extends SharedTables>(trx: Transaction<U>, epoch: number): Promise<void>;
  /** Gives the lease back, so that a successor takes it at once. */
  stop(): Promise<void>;
}

/** Makes the table of leases. From a service's migration. */
export async function createLeaseTables<T>(db: Kysely<T>): Promise<void> {
  await sql`
    create table lease (
      name text not null,
      epoch bigint not null,
      holder uuid,
      expires_at timestamptz not null,
      constraint lease_pkey primary key (name)
    )`.execute(db);
}

export function startLease<T extends SharedTables>(_options: LeaseOptions<T>): Lease {
  throw new Error('on its way');
}
