import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * The ledger of leases, and the keys of senders. `admissions.recent` stays for one release, since replicas of the
 * release before insert it.
 */
export const leases: Migration = {
  async up(db: Kysely<unknown>) {
    // Four numbers for each lease: id, grantedAt, endsAt, count.
    await sql`
      alter table admissions
        add column leases bigint[] not null default '{}',
        add column last_at bigint not null default 0`.execute(db);
    // No foreign keys: a key is kept for a day, whatever happens to its token. The ids of tokens are never used again.
    await sql`
      create table idempotency_keys (
        token_id integer not null,
        key text collate "C" not null,
        body_hash text not null,
        signal_id bigint not null,
        created_at bigint not null,
        claimed_at timestamptz not null default clock_timestamp(),
        constraint idempotency_keys_pkey primary key (token_id, key)
      )`.execute(db);
    await sql`create index idempotency_keys_claimed_at_idx on idempotency_keys (claimed_at)`.execute(db);
  },
};
