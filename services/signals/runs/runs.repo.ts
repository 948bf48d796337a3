import type { ActionSet } from '@yardarm/shared/contracts/signals';
import { type Kysely, prepared, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import { type EnabledSet, type NewRun, storableText } from './run.ts';

type Trx = Transaction<SignalsTables>;

type SetRow = Omit<ActionSet, 'match' | 'createdAt'> & {
  filters: ActionSet['match']['payload'];
  sourceId: number;
  createdAt: Date;
  enabledAt: Date;
  lastMatchedAt: Date | null;
  disables: number;
  projectCreatedAt: Date | null;
};

/** The sets that signals of the endpoint can match, by id. */
export async function findEnabledSets(trx: Trx, endpointId: number): Promise<EnabledSet[]> {
  const { rows } = await prepared('find-enabled-sets')<SetRow>`
    select id, project, name, description, actor_id as "actorId", enabled, source_id as "sourceId", filters,
      cooldown_seconds as "cooldownSeconds", created_at as "createdAt", created_by_user_id as "createdByUserId",
      enabled_at as "enabledAt", last_matched_at as "lastMatchedAt", disables,
      project_created_at as "projectCreatedAt", (
        select json_agg(json_build_object(
          'id', a.id, 'action', a.action, 'sortOrder', a.sort_order, 'executionParams', a.execution_params,
          'createdAt', to_char(a.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'createdByUserId', a.created_by_user_id) order by a.sort_order)
        from actions a where a.action_set_id = s.id) as actions
    from action_sets s where source_id = ${endpointId} and enabled
    order by id`.execute(trx);
  return rows.map(({ filters, sourceId, enabledAt, lastMatchedAt, disables, projectCreatedAt, createdAt, ...set }) => ({
    actionSet: {
      ...set,
      match: { source: 'signal-endpoint', sourceId, payload: filters },
      createdAt: createdAt.toISOString(),
    },
    ...{ enabledAt, lastMatchedAt, disables, projectCreatedAt },
  }));
}

/** Moves the cooldown of sets. The ids are locked in their order. */
export async function updateLastMatched(trx: Trx, lastMatched: ReadonlyMap<number, Date>): Promise<void> {
  const byId = [...lastMatched].sort(([a], [b]) => a - b);
  for (const [id, time] of byId) {
    trx.pipeline(
      prepared('update-last-matched')`
      update action_sets set last_matched_at = greatest(last_matched_at, ${time.toISOString()}::timestamptz)
      where id = ${id}`,
    );
  }
}

/**
 * Inserts runs with their steps, in their order, and ignores those of a set and signal that exist. A set that was
 * deleted or disabled since it was read gets no run. Returns how many it inserted.
 */
export async function insertRuns(trx: Trx, endpointId: number, runs: readonly NewRun[]): Promise<number> {
  if (runs.length === 0) return 0;
  const sets = runs.map(({ set }) => set);
  const steps = runs.flatMap(({ signalId, set, steps: ofRun }) =>
    ofRun.map((each, index) => ({ signalId, actionSetId: set.actionSet.id, position: index + 1, each })),
  );
  const { rows } = await prepared('insert-runs')<{ count: number }>`
    with inserted as (
      insert into action_runs (action_set_id, signal_id, endpoint_id, actor_id, enabled_at, disables, project_created_at,
        action_set, traceparent)
      select r.action_set_id, r.signal_id, ${endpointId}, r.actor_id, s.enabled_at, r.disables, r.project_created_at,
        r.action_set, r.traceparent
      from unnest(
        ${sets.map(({ actionSet }) => actionSet.id)}::integer[], ${runs.map(({ signalId }) => signalId)}::bigint[],
        ${sets.map(({ actionSet }) => actionSet.actorId)}::integer[], ${sets.map(({ disables }) => disables)}::integer[],
        ${sets.map(({ projectCreatedAt }) => projectCreatedAt?.toISOString() ?? null)}::timestamptz[],
        ${sets.map(({ actionSet }) => JSON.stringify(actionSet))}::text[],
        ${runs.map(({ traceparent }) => traceparent)}::text[]
      ) with ordinality as r (action_set_id, signal_id, actor_id, disables, project_created_at, action_set, traceparent, n)
      join action_sets s on s.id = r.action_set_id and s.enabled
      order by r.n
      on conflict on constraint action_runs_action_set_id_signal_id_key do nothing
      returning id, action_set_id, signal_id
    ), steps as (
      insert into run_steps (run_id, position, step, problem)
      select inserted.id, s.position, s.step, s.problem
      from unnest(
        ${steps.map(({ actionSetId }) => actionSetId)}::integer[], ${steps.map(({ signalId }) => signalId)}::bigint[],
        ${steps.map(({ position }) => position)}::integer[],
        ${steps.map(({ each }) => ('step' in each ? JSON.stringify(each.step) : null))}::text[],
        ${steps.map(({ each }) => ('problem' in each ? storableText(each.problem) : null))}::text[]
      ) as s (action_set_id, signal_id, position, step, problem)
      join inserted using (action_set_id, signal_id)
    )
    select count(*) as count from inserted`.execute(trx);
  return rows[0]!.count;
}

/** The unfinished runs of an endpoint, counted up to the limit. */
export async function countUnfinished(db: Kysely<SignalsTables>, endpointId: number, limit: number): Promise<number> {
  const { rows } = await prepared('count-unfinished-runs')<{ count: number }>`
    select count(*) as count from (
      select 1 from action_runs where endpoint_id = ${endpointId} and finished_at is null limit ${limit}) as unfinished`.execute(
    db,
  );
  return rows[0]!.count;
}

/** All unfinished runs, counted up to 100,000, and the age of the oldest. */
export async function findUnfinished(db: Kysely<SignalsTables>): Promise<{ count: number; oldestSeconds: number }> {
  const { rows } = await sql<{ count: number; oldestSeconds: number }>`
    select count(*) as count,
      coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as "oldestSeconds"
    from (select created_at from action_runs where finished_at is null limit 100000) as unfinished`.execute(db);
  return rows[0]!;
}

/** Deletes the runs that finished first, with their steps, if the lease of the fence is held. Returns how many. */
export async function deleteOldRuns(
  db: Kysely<SignalsTables>,
  fence: RawBuilder<unknown>,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with leader as (${fence}), old as (
      select id from action_runs where finished_at < now() - ${days} * interval '1 day' order by finished_at limit ${limit}
    )
    delete from action_runs r using old where r.id = old.id and exists (select from leader)`.execute(db);
  return Number(numAffectedRows);
}
