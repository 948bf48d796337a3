import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * The sizes of what SDKs read, so that a statement checks a limit without a scan. `changes/sizes.repo.ts` says what
 * counts. The sizes of strategies, variants and segments are columns: a flag may have 500 kB of them, and their text
 * would have to be decompressed at each change of the flag.
 *
 * feature_environments.bytes        a flag in an environment, without the segments of its strategies
 * feature_environments.segment_ids  the segments of its enabled strategies, one that two strategies have twice
 * segment_revisions.bytes           the size with which each use of a segment counts in a place
 * revisions.bytes                   the sum of a place: flags and uses of segments
 * environment_bytes.units          the sum of an environment, in units of 16 KiB per place
 *
 * The checks refuse what grows above the limit. A writer sets the maximum to the limit of its settings, or to the
 * present size if that is larger. A writer of the release before changes neither, and a null maximum refuses nothing.
 *
 * It rewrites three tables and updates all rows of three, so it locks all of them until its commit. It locks them
 * first, in the order in which changes do (`changes/record-change.ts`): a change that has begun ends, and the next one
 * waits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    lock table features, segments, feature_environments, feature_strategies, segment_revisions, revisions
    in access exclusive mode`.execute(db);
  await sql`
    alter table feature_strategies add bytes integer not null generated always as (
      octet_length(name) + octet_length(parameters::text) + octet_length(constraints::text)
        + octet_length(variants::text)
    ) stored`.execute(db);
  await sql`
    alter table segments add bytes integer not null generated always as (octet_length(constraints::text)) stored`.execute(
    db,
  );
  await sql`
    alter table feature_environments
      add variant_bytes integer not null generated always as (octet_length(variants::text)) stored,
      add bytes integer not null default 0,
      add segment_ids integer[] not null default '{}'`.execute(db);
  await sql`alter table segment_revisions add bytes integer not null default 0`.execute(db);
  await sql`
    alter table revisions
      add bytes bigint not null default 0,
      add max_bytes bigint,
      add constraint revisions_bytes_limit check (bytes <= max_bytes)`.execute(db);
  await sql`
    create table environment_bytes (
      environment text not null,
      units bigint not null,
      max_units bigint,
      constraint environment_bytes_pkey primary key (environment),
      constraint environment_bytes_limit check (units <= max_units)
    )`.execute(db);
  await sql`
    update feature_environments fe set
      bytes = case when f.archived_at is not null then 0 else
        300 + octet_length(f.name) + octet_length(f.project)
          + coalesce(octet_length(to_json(f.description)::text), 0) + fe.variant_bytes
          + (
            select coalesce(sum(s.bytes + 100 + coalesce(octet_length(to_json(s.title)::text), 0)), 0)
            from feature_strategies s
            where s.feature_name = fe.feature_name and s.environment = fe.environment and not s.disabled
          ) + (
            select coalesce(sum(30 + octet_length(t.type) + octet_length(to_json(t.value)::text)), 0)
            from feature_tags t where t.feature_name = fe.feature_name
          ) + (
            select coalesce(sum(50 + octet_length(d.parent) + octet_length(d.variants::text)), 0)
            from feature_dependencies d where d.child = fe.feature_name
          )
        end,
      segment_ids = array(
        select use.segment_id from feature_strategies s join strategy_segments use on use.strategy_id = s.id
        where s.feature_name = fe.feature_name and s.environment = fe.environment and not s.disabled
      )
    from features f where f.name = fe.feature_name`.execute(db);
  await sql`
    update segment_revisions known set bytes = s.bytes from segments s where s.id = known.segment_id`.execute(db);
  await sql`
    update revisions r set bytes = total.bytes
    from (
      select fe.environment, fe.project, sum(fe.bytes + (
        select coalesce(sum(s.bytes), 0) from unnest(fe.segment_ids) as used (id) join segments s on s.id = used.id
      )) as bytes
      from feature_environments fe group by fe.environment, fe.project
    ) as total
    where r.environment = total.environment and r.project = total.project`.execute(db);
  await sql`
    insert into environment_bytes (environment, units)
    select environment, sum((bytes + 16383) / 16384) from revisions group by environment`.execute(db);
}
