import type { ClaimedSignal } from '@yardarm/shared/contracts/signals';
import { type Kysely, prepared, type RawBuilder, sql } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import { keptHours, type StoredKey } from './key.ts';

/** Claims a free key. Waits for a concurrent claim of the same key, and changes nothing when the key is claimed. */
export function insertKey(tokenId: number, key: string, stored: StoredKey): RawBuilder<{ isClaimed: true }> {
  const { id, createdAt, bodyHash } = stored;
  return prepared('claim-key')`
    insert into idempotency_keys (token_id, key, body_hash, signal_id, created_at)
    values (${tokenId}, ${key}, ${bodyHash}, ${id}, ${createdAt})
    on conflict on constraint idempotency_keys_pkey do update set
      body_hash = excluded.body_hash, signal_id = excluded.signal_id, created_at = excluded.created_at,
      claimed_at = clock_timestamp()
    where idempotency_keys.claimed_at <= clock_timestamp() - ${keptHours} * interval '1 hour'
    returning true as "isClaimed"`;
}

/** The signal of a claimed key. */
export function selectKey(tokenId: number, key: string): RawBuilder<ClaimedSignal> {
  return prepared('select-key')`
    select signal_id as id, created_at as "createdAt", body_hash as "bodyHash",
      floor(extract(epoch from free_at - now) * 1000)::bigint as "keptMs"
    from idempotency_keys,
      lateral (select claimed_at + ${keptHours} * interval '1 hour' as free_at, clock_timestamp() as now) as times
    where token_id = ${tokenId} and key = ${key} and free_at > now`;
}

/** Deletes free keys, oldest first. Returns how many. Replicas that do it at the same time delete different ones. */
export async function deleteFreeKeys(db: Kysely<SignalsTables>, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from idempotency_keys where (token_id, key) in (
      select token_id, key from idempotency_keys
      where claimed_at <= clock_timestamp() - ${keptHours} * interval '1 hour'
      order by claimed_at limit ${limit} for update skip locked
    )`.execute(db);
  return Number(numAffectedRows);
}
