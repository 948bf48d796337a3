import { createLeaseTables, type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * The number of ids in a partition of the log. A million events with their indexes take about 1 GB, which is
 * dropped or moved in seconds. A hundred million events make a hundred partitions, which do not slow down planning.
 */
const partitionSize = 1_000_000;

/** Creates the log, its inbox, dead letters and counters, and the positions of recorder and relay. */
export const theLog: Migration = {
  async up(db) {
    await createLog(db);
    await createSearchIndex(db);
    await createInboxAndRejections(db);
    await createCounters(db);
    await createPositions(db);
    await createLeaseTables(db);
    await createPartitionMaker(db);
    await sql`select make_partitions_ahead()`.execute(db);
    await insertAndReadOnly(db, ['events', 'recorded_ids', 'rejected_messages']);
  },
};

// data, pre_data and tags are json, not jsonb. json keeps the text as it was written, numbers and key order included.
// jsonb refuses strings with \u0000.
async function createLog(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table events (
      id bigint not null,
      event_id uuid not null,
      recorded_at timestamptz not null default now(),
      version smallint not null,
      source text not null,
      type text not null,
      created_at timestamptz not null,
      created_by text not null,
      created_by_user_id bigint,
      created_by_username text not null,
      environment text,
      project text,
      feature_name text,
      data json,
      pre_data json,
      tags json not null,
      request_id text,
      traceparent text,
      search_text text not null,
      constraint events_pkey primary key (id)
    ) partition by range (id)`.execute(db);
  await sql`create index events_type_idx on events (type, id desc)`.execute(db);
  await sql`create index events_project_idx on events (project, id desc)`.execute(db);
  await sql`create index events_feature_name_idx on events (feature_name, id desc)`.execute(db);
  // Used only after RECORDED was lost, to find the first event of the last days. Ids rise with time, so BRIN suffices.
  await sql`create index events_recorded_at_idx on events using brin (recorded_at)`.execute(db);
}

// A free-text search finds any part of a text. Only a trigram index supports that; else a search reads the whole log.
async function createSearchIndex(db: Kysely<unknown>): Promise<void> {
  // An operator may have installed the extension in a schema outside our search path.
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
      where extname = 'pg_trgm' and has_schema_privilege(extnamespace, 'usage')`.execute(db);
  if (rows[0] === undefined) return;
  const operators = sql.id(rows[0].schema, 'gin_trgm_ops');
  await sql`create index events_search_text_idx on events using gin (search_text ${operators})`.execute(db);
}

async function createInboxAndRejections(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table recorded_ids (
      event_id uuid not null,
      recorded_at timestamptz not null default now(),
      constraint recorded_ids_pkey primary key (event_id)
    )`.execute(db);
  await sql`
    create table rejected_messages (
      id bigint generated always as identity,
      incarnation text not null,
      sequence bigint not null,
      subject text not null,
      msg_id text,
      reason text not null,
      payload text not null,
      rejected_at timestamptz not null default now(),
      constraint rejected_messages_pkey primary key (id),
      constraint rejected_messages_sequence_key unique (incarnation, sequence)
    )`.execute(db);
}

async function createCounters(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table event_counters (
      kind text not null,
      name text not null,
      total bigint not null,
      constraint event_counters_pkey primary key (kind, name),
      constraint event_counters_kind_check check (kind in ('total', 'type', 'project', 'feature'))
    )`.execute(db);
}

async function createPositions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table recorder_position (
      only_row boolean not null default true,
      incarnation text,
      last_sequence bigint not null default 0,
      last_id bigint not null default 0,
      moved_at timestamptz not null default now(),
      constraint recorder_position_pkey primary key (only_row),
      constraint recorder_position_only_row_check check (only_row)
    )`.execute(db);
  await sql`
    create table relay_position (
      only_row boolean not null default true,
      incarnation text,
      last_sequence bigint not null default 0,
      last_id bigint not null default 0,
      moved_at timestamptz not null default now(),
      constraint relay_position_pkey primary key (only_row),
      constraint relay_position_only_row_check check (only_row)
    )`.execute(db);
  await sql`insert into recorder_position default values`.execute(db);
  await sql`insert into relay_position default values`.execute(db);
}

/**
 * Creates `make_partitions_ahead()`, which makes the partition of the last id and the two after it. Only the owner may
 * create tables, and the service calls the function with its own login. The function therefore runs as its owner. It
 * takes no argument, so the login can use it for nothing else.
 *
 * An empty table is created first and then attached, which blocks neither readers nor the recorder. The function
 * revokes all rights on the partition: the service's login may use the log, and no partition by its name.
 */
async function createPartitionMaker(db: Kysely<unknown>): Promise<void> {
  const { schema } = (await sql<{ schema: string }>`select current_schema() as schema`.execute(db)).rows[0]!;
  await sql`
    create function make_partitions_ahead() returns bigint
    language plpgsql security definer set search_path = ${sql.id(schema)}, pg_temp as $$
    declare
      size constant bigint := ${sql.lit(partitionSize)};
      current_partition bigint;
      partition text;
      role_name text;
    begin
      -- The lock excludes other calls and the recorder.
      select last_id / size into current_partition from recorder_position for update;
      for n in current_partition .. current_partition + 2 loop
        partition := format('events_p%s', n);
        if to_regclass(format('%I.%I', ${sql.lit(schema)}, partition)) is null then
          execute format('create table %I (like events including all)', partition);
          execute format('alter table events attach partition %I for values from (%s) to (%s)',
            partition, n * size, (n + 1) * size);
          for role_name in
            select distinct case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end
              from pg_class, aclexplode(relacl)
              where pg_class.oid = to_regclass(format('%I.%I', ${sql.lit(schema)}, partition)) and grantee <> relowner
          loop
            execute format('revoke all on %I from %s', partition, role_name);
          end loop;
        end if;
      end loop;
      -- The first id that has no partition.
      return (current_partition + 3) * size;
    end $$`.execute(db);
}

/** Revokes every right except insert and select from all roles but the owner. */
export async function insertAndReadOnly(db: Kysely<unknown>, tables: string[]): Promise<void> {
  for (const table of tables) {
    await sql`
      do $$
      declare
        role_name text;
      begin
        for role_name in
          select distinct case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end
            from pg_class, aclexplode(relacl)
            where pg_class.oid = to_regclass(${sql.lit(table)}) and grantee <> relowner
        loop
          execute format('revoke update, delete, truncate, references, trigger on %I from %s', ${sql.lit(table)}, role_name);
        end loop;
      end $$`.execute(db);
  }
}
