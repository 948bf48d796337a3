import type { Step } from '@yardarm/shared/contracts/flags';
import { type Kysely, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { StepState } from './run.ts';

type Trx = Transaction<SignalsTables>;

/** The next step of an endpoint: the first unfinished one of its first unfinished run. */
export interface NextStep {
  runId: number;
  actorId: number;
  /** When the project of the set was created; null if the previous version saved the set. */
  projectCreatedAt: Date | null;
  traceparent: string | null;
  /** The attempts in a row that are to be retried. */
  failures: number;
  /** How long the step is not due yet; 0 when it is due. */
  waitMs: number;
  /** The time for retries has passed. */
  isOverdue: boolean;
  position: number;
  stepId: string;
  /** Null when the step has a problem. */
  step: Step | null;
  problem: string | null;
  state: StepState;
  /** It was started so long ago that flags may have forgotten its outcome. */
  isForgotten: boolean;
}

/** flags keeps outcomes for 7 days. One day of reserve covers a call that starts late and clocks that differ. */
const outcomeKept = sql.lit('6 days');

export async function findNextStep(db: Kysely<SignalsTables>, endpointId: number): Promise<NextStep | undefined> {
  const { rows } = await prepared('find-next-step')<Omit<NextStep, 'step'> & { step: string | null }>`
    select r.id as "runId", r.actor_id as "actorId",
      r.project_created_at as "projectCreatedAt", r.traceparent, r.failures,
      greatest(0, extract(epoch from r.next_attempt_at - clock_timestamp()) * 1000)::float8 as "waitMs",
      coalesce(r.retry_until <= clock_timestamp(), false) as "isOverdue",
      s.position, s.step_id as "stepId", s.step, s.problem, s.state,
      coalesce(s.state = 'started' and s.started_at < clock_timestamp() - interval ${outcomeKept}, false) as "isForgotten"
    from (
      select * from action_runs where endpoint_id = ${endpointId} and finished_at is null order by id limit 1
    ) as r
    join run_steps s on s.run_id = r.id and s.state in ('not started', 'started')
    order by s.position limit 1`.execute(db);
  const [row] = rows;
  return row && { ...row, step: row.step === null ? null : JSON.parse(row.step) };
}

/**
 * Why the run may not go on, or null. Locks the set, so that it is neither disabled nor deleted before `trx` ends. A
 * set that was disabled since the signal matched has a higher number of disables, also when it is enabled again.
 */
export async function findStopReason(trx: Trx, runId: number): Promise<string | null> {
  // The previous version inserts runs without the number. The time at which their set was enabled decides then.
  const { rows } = await prepared('find-stop-reason')<{ wasDisabled: boolean }>`
    select coalesce(s.disables > r.disables,
      not s.enabled or (s.enabled_at <> r.enabled_at and s.source_id = r.endpoint_id)) as "wasDisabled"
    from action_runs r join action_sets s on s.id = r.action_set_id
    where r.id = ${runId}
    for share of s`.execute(trx);
  const [set] = rows;
  if (set === undefined) return 'The action set was deleted.';
  return set.wasDisabled ? 'The action set was disabled.' : null;
}

type StepKey = Pick<NextStep, 'runId' | 'position'>;

export async function updateStarted(trx: Trx, { runId, position }: StepKey): Promise<void> {
  await trx.batch(
    prepared('start-step')`
      update run_steps set state = 'started', started_at = clock_timestamp()
      where run_id = ${runId} and position = ${position}`,
    prepared('start-run')`update action_runs set state = 'started' where id = ${runId} and state = 'waiting'`,
  );
}

/** Ends a step. The run ends with a step that failed and with its last step. Returns how it ended, or null. */
export async function updateEnded(
  trx: Trx,
  { runId, position }: StepKey,
  { state, details }: { state: Exclude<StepState, 'started'>; details: string },
): Promise<'success' | 'failed' | null> {
  const [, rows] = await trx.batch(
    prepared(
      'end-step',
    )`update run_steps set state = ${state}, details = ${details} where run_id = ${runId} and position = ${position}`,
    prepared('end-step-of-run')<{ state: string }>`
      update action_runs set failures = 0, retry_until = null, next_attempt_at = null,
        state = case when is_last then ${state === 'success' ? 'success' : 'failed'} else 'started' end,
        finished_at = case when is_last then clock_timestamp() end
      from (
        select ${state} <> 'success' or not exists (
          select 1 from run_steps where run_id = ${runId} and position > ${position}) as is_last
      ) as step
      where id = ${runId}
      returning state`,
  );
  const ended = rows[0]?.state;
  return ended === 'success' || ended === 'failed' ? ended : null;
}

/** Schedules another attempt. The time for retries begins with the first attempt that needs one. */
export async function updateRetry(
  trx: Trx,
  { runId, position }: StepKey,
  retry: { state: StepState; details: string; failures: number; delayMs: number; retryMs: number },
): Promise<void> {
  await trx.batch(
    prepared('retry-step')`
      update run_steps set state = ${retry.state}, details = ${retry.details}
      where run_id = ${runId} and position = ${position}`,
    prepared('retry-run')`
      update action_runs set failures = ${retry.failures},
        retry_until = coalesce(retry_until, clock_timestamp() + ${retry.retryMs} * interval '1 millisecond'),
        next_attempt_at = clock_timestamp() + ${retry.delayMs} * interval '1 millisecond'
      where id = ${runId}`,
  );
}
