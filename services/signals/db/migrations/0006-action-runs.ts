import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

export const actionRuns: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table run_positions (
        endpoint_id integer constraint run_positions_pkey primary key,
        incarnation text not null,
        last_sequence bigint not null
      )`.execute(db);
    // No foreign keys to sets, endpoints and signals: a run outlives its set and its endpoint. The signal is stored in
    // the transaction of the run. The snapshot of the set and the steps are text, because jsonb refuses \u0000.
    await sql`
      create table action_runs (
        id bigint generated always as identity constraint action_runs_pkey primary key,
        action_set_id integer not null,
        signal_id bigint not null,
        endpoint_id integer not null,
        actor_id integer not null,
        enabled_at timestamptz not null,
        action_set text not null,
        traceparent text,
        state text not null default 'waiting'
          constraint action_runs_state_check check (state in ('waiting', 'started', 'success', 'failed')),
        created_at timestamptz not null default now(),
        finished_at timestamptz,
        failures integer not null default 0,
        retry_until timestamptz,
        next_attempt_at timestamptz,
        constraint action_runs_action_set_id_signal_id_key unique (action_set_id, signal_id),
        constraint action_runs_finished_at_check check ((finished_at is null) = (state in ('waiting', 'started')))
      )`.execute(db);
    await sql`
      create table run_steps (
        run_id bigint not null constraint run_steps_run_id_fkey references action_runs on delete cascade,
        position integer not null,
        step_id uuid not null default gen_random_uuid(),
        step text,
        problem text,
        state text not null default 'not started'
          constraint run_steps_state_check check (state in ('not started', 'started', 'success', 'failed')),
        details text,
        started_at timestamptz,
        constraint run_steps_pkey primary key (run_id, position),
        constraint run_steps_step_check check ((step is null) <> (problem is null))
      )`.execute(db);
    // Finds the signals behind a position of a lost stream. Their order in the table is nearly that of the stream, so
    // an index of ranges is enough. An insert does not become slower by it.
    await sql`
      create index signals_stream_sequence_idx on signals using brin (stream_sequence) with (autosummarize = on)`.execute(
      db,
    );
    // The runs that the executor of an endpoint has still to execute. No state is in the index, so that a step that
    // starts changes no index.
    await sql`
      create index action_runs_unfinished_idx on action_runs (endpoint_id, id) where finished_at is null`.execute(db);
    await sql`create index action_runs_action_set_id_id_idx on action_runs (action_set_id, id)`.execute(db);
    await sql`
      create index action_runs_finished_at_idx on action_runs (finished_at) where finished_at is not null`.execute(db);
  },
};
