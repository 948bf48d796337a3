import type { StepActionName } from '@yardarm/shared/contracts/flags';
import type { ActionSet } from '@yardarm/shared/contracts/signals';
import type { Generated, GeneratedAlways, SharedTables } from '@yardarm/shared/db';
import type { RunState, StepState } from '../runs/run.ts';

export interface SignalEndpointsTable {
  id: Generated<number>;
  name: string;
  enabled: boolean;
  description: string | null;
  /** The rate of the endpoint; null for that of the setting. */
  rate_per_second: number | null;
  created_at: Generated<Date>;
  created_by_user_id: number;
}

/** `selector` finds the row; `hash` is the SHA-256 of the whole token. The secret is not stored. */
export interface SignalEndpointTokensTable {
  id: Generated<number>;
  endpoint_id: number;
  name: string;
  selector: string;
  hash: string;
  created_at: Generated<Date>;
  created_by_user_id: number;
}

/** The ledger of an endpoint. Each block is four numbers: id, grantedAt, endsAt, count. */
export interface AdmissionsTable {
  endpoint_id: number;
  leases: Generated<number[]>;
  last_at: Generated<number>;
}

export interface IdempotencyKeysTable {
  token_id: number;
  key: string;
  body_hash: string;
  signal_id: number;
  /** When the signal was accepted, in milliseconds since 1970. */
  created_at: number;
  claimed_at: Generated<Date>;
}

export interface SignalsTable {
  id: number;
  endpoint_id: number;
  token_id: number;
  /** The payload as the text of JSON that was sent. */
  payload: string;
  /** Set by a trigger; null when jsonb cannot hold the payload. Only for searches. */
  payload_json: GeneratedAlways<unknown>;
  created_at: Date;
  stored_at: Generated<Date>;
  /** The place in the stream. Null where it is not known, as for rows of a version without these columns. */
  stream_incarnation: string | null;
  stream_sequence: number | null;
}

/** Messages of SIGNALS that are no signals. A recreated stream restarts its sequences, so the key includes the time. */
export interface DeadLettersTable {
  sequence: number;
  published_at: Date;
  subject: string;
  payload: string;
  reason: string;
  set_aside_at: Generated<Date>;
}

/**
 * An enabled set matches signals of the endpoint `source_id` whose createdAt is not before `enabled_at`. The cooldown
 * counts from `last_matched_at`, the createdAt of the last signal that matched.
 */
export interface ActionSetsTable {
  id: Generated<number>;
  project: string;
  /** When the project was created. Another one with its id has another time. Null if the previous version saved it. */
  project_created_at: Date | null;
  name: string;
  description: string | null;
  actor_id: number;
  enabled: boolean;
  enabled_at: Date | null;
  source_id: number;
  filters: ActionSet['match']['payload'];
  cooldown_seconds: number;
  created_at: Generated<Date>;
  created_by_user_id: number;
  last_matched_at: Date | null;
  /** How often the set was disabled. A trigger counts. */
  disables: GeneratedAlways<number>;
}

export interface ActionsTable {
  id: Generated<number>;
  action_set_id: number;
  sort_order: number;
  action: StepActionName;
  execution_params: ActionSet['actions'][number]['executionParams'];
  created_at: Generated<Date>;
  created_by_user_id: number;
}

/** Up to where the signals of an endpoint are taken for runs. */
export interface RunPositionsTable {
  endpoint_id: number;
  incarnation: string;
  last_sequence: number;
}

/** One execution of an action set for a signal. */
export interface ActionRunsTable {
  id: Generated<number>;
  action_set_id: number;
  signal_id: number;
  endpoint_id: number;
  actor_id: number;
  /** When the set had been enabled. Only replicas of the previous version read it. */
  enabled_at: Date;
  /** The number of the set when the signal matched. Null in runs that the previous version inserted. */
  disables: number | null;
  /** The createdAt of the set's project when the signal matched. */
  project_created_at: Date | null;
  /** JSON text: the set as it was when the signal matched. */
  action_set: string;
  traceparent: string | null;
  state: Generated<RunState>;
  created_at: Generated<Date>;
  finished_at: Date | null;
  /** The attempts of the current step in a row that are to be retried. */
  failures: Generated<number>;
  retry_until: Date | null;
  next_attempt_at: Date | null;
}

/** A step of a run: what to do, or why it cannot be done. */
export interface RunStepsTable {
  run_id: number;
  position: number;
  step_id: Generated<string>;
  /** The step with its parameters, as the text of JSON. */
  step: string | null;
  problem: string | null;
  state: Generated<StepState>;
  details: string | null;
  started_at: Date | null;
}

/** Projects that were deleted within a day, each with the time of its creation. */
export interface DeletedProjectsTable {
  project: string;
  created_at: Date;
  deleted_at: Generated<Date>;
}

export interface SignalsTables extends SharedTables {
  signal_endpoints: SignalEndpointsTable;
  signal_endpoint_tokens: SignalEndpointTokensTable;
  admissions: AdmissionsTable;
  idempotency_keys: IdempotencyKeysTable;
  signals: SignalsTable;
  signals_set_aside: DeadLettersTable;
  action_sets: ActionSetsTable;
  actions: ActionsTable;
  deleted_projects: DeletedProjectsTable;
  run_positions: RunPositionsTable;
  action_runs: ActionRunsTable;
  run_steps: RunStepsTable;
}
