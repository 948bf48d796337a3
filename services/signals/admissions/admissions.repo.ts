import { hidden, prepared, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { Block, Ledger } from './ledger.ts';

export interface LockedEndpoint {
  name: string;
  isEnabled: boolean;
  /** Null for the setting. */
  ratePerSecond: number | null;
  hasToken: boolean;
  ledger: Ledger;
  /** The database's clock, read after the lock. */
  now: number;
}

/** The numbers of a block in the column `leases`: id, grantedAt, endsAt, count. */
const width = 4;

/**
 * Locks the ledger of an endpoint until the transaction ends, and reads the endpoint, the clock, and whether the token
 * is one of its own. The clock is read outside of the query that locks: Postgres evaluates that query's own columns
 * before it waits for the lock.
 */
export async function lockLedger(
  trx: Transaction<SignalsTables>,
  endpointId: number,
  tokenId: number,
): Promise<LockedEndpoint | null> {
  const { rows } = await prepared('lock-ledger')<Omit<LockedEndpoint, 'ledger'> & { leases: number[]; lastAt: number }>`
    select leases, last_at as "lastAt", name, enabled as "isEnabled", rate_per_second as "ratePerSecond",
      exists (
        select from signal_endpoint_tokens where id = ${tokenId}::integer and endpoint_id = locked.endpoint_id
      ) as "hasToken",
      floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now
    from (
      select endpoint_id, leases, last_at from admissions where endpoint_id = ${endpointId}::bigint for update
    ) as locked
    join signal_endpoints on signal_endpoints.id = locked.endpoint_id`.execute(trx);
  const [row] = rows;
  if (!row) return null;
  const { leases, lastAt, ...endpoint } = row;
  return { ...endpoint, ledger: { blocks: toBlocks(leases), lastAt } };
}

/** A decision takes a millisecond. A replica that is paused during one has the lock for this time. */
const maxIdleMs = 1_000;

/**
 * For a transaction that locks a ledger. Its commit is synchronous: after a crash Postgres could draw the same ids
 * again. Postgres ends it when its replica sends nothing, so that a paused replica does not stop its endpoint.
 */
export function holdLedgerBriefly(trx: Transaction<SignalsTables>): void {
  trx.pipeline(
    prepared('hold-ledger-briefly')`
    select set_config('synchronous_commit', 'on', true),
      set_config('idle_in_transaction_session_timeout', ${String(maxIdleMs)}, true)`,
  );
}

/** Stores what remains in a locked ledger. */
export function updateLedger(endpointId: number, at: number, blocks: readonly Block[]): RawBuilder<unknown> {
  return prepared('update-ledger')`
    update admissions set leases = ${toNumbers(blocks)}::bigint[], last_at = ${at}
    where endpoint_id = ${endpointId}::bigint`;
}

/** Stores a new block with what remains in a locked ledger. Returns its signal ids, the lowest first. */
export function insertBlock(
  endpointId: number,
  blocks: readonly Block[],
  { grantedAt, endsAt, count }: Omit<Block, 'id'>,
): RawBuilder<{ id: number }> {
  return prepared('insert-block')`
    with drawn as (
      select nextval('signal_ids') as id from generate_series(1, ${hidden(sql`${count}::integer`)})
    ), stored as (
      update admissions set
        leases = ${toNumbers(blocks)}::bigint[] || array[
          (select min(id) from drawn), ${grantedAt}::bigint, ${endsAt}::bigint, ${count}::bigint],
        last_at = ${grantedAt}
      where endpoint_id = ${endpointId}::bigint
    )
    select id from drawn order by id`;
}

function toBlocks(numbers: readonly number[]): Block[] {
  return Array.from({ length: numbers.length / width }, (_, index) => {
    const [id, grantedAt, endsAt, count] = numbers.slice(index * width, (index + 1) * width) as [
      ...[number, number, number, number],
    ];
    return { id, grantedAt, endsAt, count };
  });
}

function toNumbers(blocks: readonly Block[]): number[] {
  return blocks.flatMap(({ id, grantedAt, endsAt, count }) => [id, grantedAt, endsAt, count]);
}
