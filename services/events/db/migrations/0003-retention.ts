import { type Kysely, type Migration, type RawBuilder, sql } from '@yardarm/shared/db';

/**
 * Makes `drop_oldest_partition(keep_days)`, which drops the oldest partition of the log when all of its events are
 * recorded, older than `keep_days`, and `isFree`. It returns the last dropped id, else null. Only the owner may drop
 * tables, and the service calls the function with its own login. The function therefore runs as its owner and always
 * keeps at least eight days: outboxes and streams may have to be compared with the log for that long.
 *
 * The same transaction inserts the last hash as an anchor of the chain and lowers the counters. The counted events
 * cannot change any more, so the function locks the recorder's position only after the count. A reader that blocks the
 * drop for a second postpones it to the next run.
 */
export async function makeDropOldestPartition(db: Kysely<unknown>, isFree: RawBuilder<boolean>): Promise<void> {
  const { schema } = (await sql<{ schema: string }>`select current_schema() as schema`.execute(db)).rows[0]!;
  await sql`
      create or replace function drop_oldest_partition(keep_days integer) returns bigint
      language plpgsql security definer set search_path = ${sql.id(schema)}, pg_temp set lock_timeout = '1s' as $$
      declare
        oldest regclass;
        first_id_after bigint;
        is_needed boolean;
        counts json;
        last_id_dropped bigint;
        last_hash text;
      begin
        if keep_days is null or keep_days < 8 then
          raise exception 'at least 8 days of the log are kept' using errcode = 'invalid_parameter_value';
        end if;
        select inhrelid::regclass, substring(pg_get_expr(relpartbound, inhrelid) from 'TO \\(''(\\d+)''\\)')::bigint
          into oldest, first_id_after
          from pg_inherits join pg_class on pg_class.oid = inhrelid
          where inhparent = 'events'::regclass
          order by 2 limit 1;
        if not exists (select from recorder_position where last_id >= first_id_after - 1)
          or not (${isFree}) then
          return null;
        end if;
        execute format('select exists (select from %s where recorded_at >= now() - make_interval(days => $1))', oldest)
          into is_needed using keep_days;
        if is_needed then
          return null;
        end if;

        execute format('select id, coalesce(hash, '''') from %s order by id desc limit 1', oldest)
          into last_id_dropped, last_hash;
        execute format('
          select json_agg(gone) from (
            select ''total'' as kind, '''' as name, count(*) as total from %1$s
            union all select ''type'', type, count(*) from %1$s group by type
            union all select ''project'', project, count(*) from %1$s where project is not null group by project
            union all select ''feature'', feature_name, count(*) from %1$s where feature_name is not null group by feature_name
          ) gone', oldest) into counts;

        -- The lock order is that of the recorder: its position, then the counters.
        perform from recorder_position for update;
        update event_counters set total = event_counters.total - gone.total
          from json_to_recordset(counts) as gone (kind text, name text, total bigint)
          where event_counters.kind = gone.kind and event_counters.name = gone.name;
        delete from event_counters where total = 0;
        insert into chain_anchors (after_id, hash, reason) values (last_id_dropped, last_hash, 'retention')
          on conflict on constraint chain_anchors_pkey do nothing;
        execute format('drop table %s', oldest);
        return last_id_dropped;
      end $$`.execute(db);
}

/** Events are free when they are on RECORDED. */
export const retention: Migration = {
  up: (db) => makeDropOldestPartition(db, sql`exists (select from relay_position where last_id >= first_id_after - 1)`),
};
