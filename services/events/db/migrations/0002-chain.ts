import { type Migration, sql } from '@yardarm/shared/db';
import { insertAndReadOnly } from './0001-the-log.ts';

/**
 * A hash for each event, chained over the one before. Events that are there already have none, and a version that knows nothing of it
 * goes on recording without: the recorder sees by `chain_id` where that ended, and begins the chain anew behind it.
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
