import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * The number of ids in a partition. A million signals of a kilobyte take about 3 GB with their indexes, which are
 * dropped in milliseconds. An endpoint of ten signals per second fills a partition in a day.
 */
const partitionSize = 1_000_000;

/**
 * Divides `signals` by ranges of ids and adds the payload as jsonb and the place in the stream. The rows are copied in
 * one transaction, about a minute per million. Statements of running replicas wait for it or fail and are repeated.
 * The previous version then uses the new table: its columns and the names of its constraints are the same.
 */
export const signalPartitions: Migration = {
  async up(db) {
    await sql`lock table signals in access exclusive mode`.execute(db);
    await sql`alter table signals rename to signals_unpartitioned`.execute(db);
    await sql`alter table signals_unpartitioned rename constraint signals_pkey to signals_unpartitioned_pkey`.execute(
      db,
    );
    await sql`drop index signals_endpoint_id_id_idx`.execute(db);
    await createSignals(db);
    await createPayloadConversion(db);
    await createPartitionMaker(db);
    await createPartitionDropper(db);
    await sql`
      select make_signal_partition(n) from generate_series(
        (select coalesce(min(id), 0) / ${sql.lit(partitionSize)} from signals_unpartitioned),
        (select last_value / ${sql.lit(partitionSize)} - 1 from signal_ids)) as n`.execute(db);
    await sql`select make_signal_partitions()`.execute(db);
    await sql`
      insert into signals (id, endpoint_id, token_id, payload, created_at, stored_at)
      select id, endpoint_id, token_id, payload, created_at, stored_at from signals_unpartitioned order by id`.execute(
      db,
    );
    await sql`drop table signals_unpartitioned`.execute(db);
    // After the copy, because an index is built faster than it grows.
    await createIndexes(db);
    await refuseLostPayloads(db);
  },
};

// The payload stays text, because jsonb changes numbers, orders keys and cannot hold every payload. The partition
// `signals_rest` has the signals whose range has no partition: none was made in time, or it was dropped, or the
// sequence was set back with the database. Without it, such a signal would fail every batch that contains it.
async function createSignals(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table signals (
      id bigint not null,
      endpoint_id integer not null,
      token_id integer not null,
      payload text not null,
      payload_json jsonb,
      created_at timestamptz not null,
      stored_at timestamptz not null default now(),
      stream_incarnation text,
      stream_sequence bigint,
      constraint signals_pkey primary key (id)
    ) partition by range (id)`.execute(db);
  await sql`create table signals_rest partition of signals default`.execute(db);
}

/** Newest first, by endpoint and over all, and search in payloads. */
async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await sql`create index signals_created_at_idx on signals (created_at desc, id desc)`.execute(db);
  await sql`create index signals_endpoint_id_created_at_idx on signals (endpoint_id, created_at desc, id desc)`.execute(
    db,
  );
  await sql`create index signals_payload_json_idx on signals using gin (payload_json jsonb_path_ops)`.execute(db);
}

/**
 * Sets `payload_json` of each inserted row, also of those that the previous version inserts. It stays null for a
 * payload that jsonb cannot hold: one with U+0000 or a lone surrogate, with a number of too many digits, or nested too
 * deep.
 */
async function createPayloadConversion(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function set_payload_json() returns trigger language plpgsql as $$
    begin
      new.payload_json := new.payload::jsonb;
      return new;
    exception when data_exception or program_limit_exceeded then
      return new;
    end $$`.execute(db);
  await sql`
    create trigger signals_payload_json before insert on signals
    for each row execute function set_payload_json()`.execute(db);
}

/**
 * Refuses a signal that a replica of the previous version stores without its payload. Such a replica does not know
 * `payloadText`, and stores null for it. Its batch fails, and the stream delivers the message again until a replica of
 * this version stores it. A signal that was sent without a body waits likewise.
 */
async function refuseLostPayloads(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_lost_payload() returns trigger language plpgsql as $$
    begin
      raise exception 'the payload of signal % is stored by a newer version', new.id
        using errcode = 'feature_not_supported';
    end $$`.execute(db);
  await sql`
    create trigger signals_lost_payload before insert on signals
    for each row when (new.stream_sequence is null and new.payload = 'null')
    execute function refuse_lost_payload()`.execute(db);
}

/**
 * Creates `make_signal_partitions()`, which makes the partition of the last drawn id and the two after it. Only the
 * owner may create tables, and the service calls the function with its own login. The function therefore runs as its
 * owner, and takes no argument. The partition is filled from `signals_rest` and then attached, which blocks neither
 * readers nor inserts of other partitions. A lock that is not free within a second fails the call, and nothing is done.
 */
async function createPartitionMaker(db: Kysely<unknown>): Promise<void> {
  const schema = await schemaOf(db);
  await sql`
    create function make_signal_partition(n bigint) returns void
    language plpgsql set search_path = ${sql.id(schema)}, pg_temp as $$
    declare
      size constant bigint := ${sql.lit(partitionSize)};
      partition constant text := format('signals_p%s', n);
    begin
      if to_regclass(format('%I.%I', ${sql.lit(schema)}, partition)) is not null then
        return;
      end if;
      -- Until the partition is attached, no row of its range may be added.
      lock table signals_rest in access exclusive mode;
      execute format('create table %I (like signals including all)', partition);
      execute format('with moved as (delete from signals_rest where id >= %s and id < %s returning *)
        insert into %I select * from moved', n * size, (n + 1) * size, partition);
      execute format('alter table signals attach partition %I for values from (%s) to (%s)',
        partition, n * size, (n + 1) * size);
    end $$`.execute(db);
  await sql`
    create function make_signal_partitions() returns void
    language plpgsql security definer set search_path = ${sql.id(schema)}, pg_temp set lock_timeout = '1s' as $$
    declare
      current_partition bigint;
    begin
      -- Two replicas may call it at the same time.
      perform pg_advisory_xact_lock(hashtext('partitions of signals'));
      select last_value / ${sql.lit(partitionSize)} into current_partition from signal_ids;
      for n in current_partition .. current_partition + 2 loop
        perform make_signal_partition(n);
      end loop;
    end $$`.execute(db);
}

/**
 * Creates `drop_oldest_signal_partition(keep_days)`, which drops the oldest partition when all of its ids are drawn and
 * all of its signals were stored more than `keep_days` ago. It returns whether it did. It keeps at least eight days: a
 * sender may repeat a key for a day, the stream delivers a message for seven days, and both must meet the row.
 */
async function createPartitionDropper(db: Kysely<unknown>): Promise<void> {
  const schema = await schemaOf(db);
  await sql`
    create function drop_oldest_signal_partition(keep_days integer) returns boolean
    language plpgsql security definer set search_path = ${sql.id(schema)}, pg_temp set lock_timeout = '1s' as $$
    declare
      oldest regclass;
      first_id_after bigint;
      is_needed boolean;
    begin
      if keep_days is null or keep_days < 8 then
        raise exception 'at least 8 days of signals are kept' using errcode = 'invalid_parameter_value';
      end if;
      perform pg_advisory_xact_lock(hashtext('partitions of signals'));
      select inhrelid::regclass, substring(pg_get_expr(relpartbound, inhrelid) from 'TO \\(''(\\d+)''\\)')::bigint
        into oldest, first_id_after
        from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = 'signals'::regclass and pg_get_expr(relpartbound, inhrelid) <> 'DEFAULT'
        order by 2 limit 1;
      if not exists (select from signal_ids where last_value >= first_id_after) then
        return false;
      end if;
      -- The row with the highest id is nearly always the last one stored, and found at once.
      execute format('select stored_at >= now() - make_interval(days => $1) from %s order by id desc limit 1', oldest)
        into is_needed using keep_days;
      if is_needed then
        return false;
      end if;
      execute format('select exists (select from %s where stored_at >= now() - make_interval(days => $1))', oldest)
        into is_needed using keep_days;
      if is_needed then
        return false;
      end if;
      execute format('drop table %s', oldest);
      return true;
    end $$`.execute(db);
}

async function schemaOf(db: Kysely<unknown>): Promise<string> {
  return (await sql<{ schema: string }>`select current_schema() as schema`.execute(db)).rows[0]!.schema;
}
