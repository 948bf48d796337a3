import { type Migration, sql } from '@yardarm/shared/db';

/**
 * `drop_oldest_partition(keep_days)`, which the service calls by its login although only the owner may drop tables: it drops the oldest
 * partition of the log when all of it is older than that, recorded and relayed, and returns the last id dropped, else null. What can
 * be done with it is bounded: eight days are kept whoever asks, as long as outboxes and streams may have to be held against the log.
 *
 * In the same transaction the last hash becomes the anchor of the chain and the counters go down. What is counted cannot change any
 * more, so only the end of it holds the recorder back; a reader that is in the way for a second puts it off to the next time.
 */
export const retention: Migration = {
  async up(db) {
    const { schema } = (await sql<{ schema: string }>`select current_schema() as schema`.execute(db)).rows[0]!;
    await sql`
      create function drop_oldest_partition(keep_days integer) returns bigint
      language plpgsql security definer set search_path = ${sql.id(schema)}, pg_temp set lock_timeout = '1s' as $$
      declare
        oldest regclass;
        first_id_behind bigint;
        is_needed boolean;
        counts json;
        last_id_dropped bigint;
        last_hash text;
      begin
        if keep_days is null or keep_days < 8 then
          raise exception 'at least 8 days of the log are kept' using errcode = 'invalid_parameter_value';
        end if;
        select inhrelid::regclass, substring(pg_get_expr(relpartbound, inhrelid) from 'TO \\(''(\\d+)''\\)')::bigint
          into oldest, first_id_behind
          from pg_inherits join pg_class on pg_class.oid = inhrelid
          where inhparent = 'events'::regclass
          order by 2 limit 1;
        if not exists (select from recorder_position where last_id >= first_id_behind - 1)
          or not exists (select from relay_position where last_id >= first_id_behind - 1) then
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

        -- As the recorder does: its position first, then the counters.
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
  },
};
