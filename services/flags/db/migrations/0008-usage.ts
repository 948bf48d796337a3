import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * Usage of flags by the hour, in a partition per day, and the applications that reported it. `feature_usage` has no
 * foreign keys: a partition is dropped as a whole, and a deletion of a flag needs not to read them all.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createApplications(db);
  await sql`
    create table feature_usage (
      feature_name text collate "C" not null,
      environment text not null,
      application text collate "C" not null,
      hour timestamptz not null,
      yes bigint not null,
      no bigint not null,
      variants jsonb not null,
      constraint feature_usage_pkey primary key (feature_name, environment, application, hour)
    ) partition by range (hour)`.execute(db);
  await createPartitionKeeper(db);
  // The service continues with its own setting. A week covers the first reports.
  await sql`select keep_usage_partitions(7)`.execute(db);
}

async function createApplications(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table applications (
      name text collate "C" not null,
      strategies text[] not null default '{}',
      description text,
      url text,
      color text,
      icon text,
      created_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz,
      constraint applications_pkey primary key (name)
    )`.execute(db);
  await sql`
    create table application_sdks (
      application text collate "C" not null,
      sdk_version text collate "C" not null,
      created_at timestamptz not null default clock_timestamp(),
      constraint application_sdks_pkey primary key (application, sdk_version),
      constraint application_sdks_application_fkey foreign key (application) references applications (name) on delete cascade
    )`.execute(db);
  await sql`
    create table application_instances (
      environment text not null,
      application text collate "C" not null,
      instance_id text collate "C" not null,
      sdk_version text,
      sdk_type text,
      address text,
      seen_at timestamptz not null,
      constraint application_instances_pkey primary key (environment, application, instance_id),
      constraint application_instances_application_fkey foreign key (application)
        references applications (name) on delete cascade
    )`.execute(db);
  await sql`create index application_instances_application_idx on application_instances (application)`.execute(db);
  await sql`create index application_instances_seen_idx on application_instances (seen_at)`.execute(db);
  await sql`
    create table application_features (
      application text collate "C" not null,
      environment text not null,
      feature_name text collate "C" not null,
      seen_at timestamptz not null,
      constraint application_features_pkey primary key (application, environment, feature_name),
      constraint application_features_application_fkey foreign key (application)
        references applications (name) on delete cascade,
      constraint application_features_feature_fkey foreign key (feature_name)
        references features (name) on update cascade on delete cascade
    )`.execute(db);
  await sql`create index application_features_feature_idx on application_features (feature_name)`.execute(db);
  await sql`
    create table unknown_flags (
      environment text not null,
      feature_name text collate "C" not null,
      application text collate "C" not null,
      seen_at timestamptz not null,
      constraint unknown_flags_pkey primary key (environment, feature_name, application),
      constraint unknown_flags_application_fkey foreign key (application) references applications (name) on delete cascade
    )`.execute(db);
  await sql`create index unknown_flags_application_idx on unknown_flags (application)`.execute(db);
}

/**
 * Creates `keep_usage_partitions(keep_days)`, which makes the partitions of the last `keep_days` days and of the week
 * to come, in UTC, and drops older ones. Only the owner may create and drop tables, and the service calls the function
 * with its own login. The function therefore runs as its owner.
 *
 * An empty table is created first and then attached, which blocks no reader. A reader or writer that blocks a drop for
 * a second fails the call, and nothing of it is done.
 */
async function createPartitionKeeper(db: Kysely<unknown>): Promise<void> {
  const { schema } = (await sql<{ schema: string }>`select current_schema() as schema`.execute(db)).rows[0]!;
  await sql`
    create function keep_usage_partitions(keep_days integer) returns void
    language plpgsql security definer
    set search_path = ${sql.id(schema)}, pg_temp set lock_timeout = '1s' set timezone = 'UTC' as $$
    declare
      first_day date;
      day date;
      partition text;
    begin
      if keep_days is null or keep_days < 1 then
        raise exception 'at least one day of usage is kept' using errcode = 'invalid_parameter_value';
      end if;
      -- Two replicas may call it at the same time.
      perform pg_advisory_xact_lock(hashtext('partitions of feature_usage'));
      first_day := current_date - keep_days;
      for partition in
        select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = 'feature_usage'::regclass and relname < 'feature_usage_' || to_char(first_day, 'YYYYMMDD')
      loop
        execute format('drop table %I', partition);
      end loop;
      for day in select first_day + n from generate_series(0, keep_days + 7) as n loop
        partition := 'feature_usage_' || to_char(day, 'YYYYMMDD');
        if to_regclass(format('%I.%I', ${sql.lit(schema)}, partition)) is null then
          execute format('create table %I (like feature_usage including all)', partition);
          execute format('alter table feature_usage attach partition %I for values from (%L) to (%L)',
            partition, day::timestamptz, (day + 1)::timestamptz);
        end if;
      end loop;
    end $$`.execute(db);
}
