import { type Migration, sql } from '@yardarm/shared/db';
import { insertAndReadOnly } from './0001-the-log.ts';

/**
 * Adds a hash to each event, chained to the previous one. Existing events have no hash, and a version without the chain
 * may record more of them. The recorder detects those by `chain_id` and begins a new chain after them.
 */
export const chain: Migration = {
  async up(db) {
    await sql`alter table events add column hash text`.execute(db);
    await sql`
      alter table recorder_position
        add column chain_id bigint not null default 0,
        add column chain_hash text not null default ''`.execute(db);
    await sql`
      create table chain_anchors (
        after_id bigint not null,
        hash text not null,
        reason text not null,
        anchored_at timestamptz not null default now(),
        constraint chain_anchors_pkey primary key (after_id),
        constraint chain_anchors_reason_check check (reason in ('beginning', 'retention'))
      )`.execute(db);
    await sql`update recorder_position set chain_id = last_id`.execute(db);
    await sql`
      insert into chain_anchors (after_id, hash, reason)
        select last_id, '', 'beginning' from recorder_position`.execute(db);
    await insertAndReadOnly(db, ['chain_anchors']);
  },
};
