import type { Generated, GeneratedAlways, SharedTables } from '@yardarm/shared/db';
import type { DeliveryState } from '../deliveries/delivery.ts';

export interface IntegrationsTable {
  id: Generated<number>;
  provider: string;
  description: string | null;
  enabled: boolean;
  /** See encryption/keyring.ts; JSON text when opened. */
  parameters: string;
  /** The key that they are sealed with; null in clear. */
  parameters_key: string | null;
  events: string[];
  projects: string[];
  environments: string[];
  /** The log's head when it was made or enabled again; it gets what comes after. */
  from_event_id: number;
  /** Raised by each change, so that what was begun under an older one can be told. */
  version: Generated<number>;
  /** See deliveries/circuit.ts. */
  failures: Generated<number>;
  failing_since: Date | null;
  paused_until: Date | null;
  /** The newest event that had been taken when the filters were changed. */
  filtered_since_event_id: Generated<number>;
  /** Deleted and not to be seen any more; swept by the retention. */
  deleted_at: Date | null;
}

/** One row: the key that parameters are sealed with, by its id. */
export interface EncryptionTable {
  key_id: string | null;
}

/** Events that some integration gets, once each however many get them. */
export interface HandledEventsTable {
  id: number;
  /** The public shape as JSON text, as it is sent. */
  event: string;
  traceparent: string | null;
  handled_at: Generated<Date>;
}

/** What one attempt came to. */
interface AttemptColumns {
  started_at: Date;
  duration_ms: number;
  status: number | null;
  error_code: string | null;
  response_body: string | null;
}

/** See deliveries/delivery.ts. */
export interface DeliveriesTable {
  integration_id: number;
  event_id: number;
  /** A hash of the flag's name; null where no order is promised. Two flags of one hash wait for each other, no more. */
  ordering_key: number | null;
  state: Generated<DeliveryState>;
  /** Pending, sending or waiting. Derived, so that indexes need not name the state, which a claim changes. */
  is_unfinished: GeneratedAlways<boolean>;
  /** How many attempts have begun; the number of the latest. */
  attempts: Generated<number>;
  /** The attempts that had been made when the schedule of retries began anew. */
  scheduled_from: Generated<number>;
  /** Sent again because somebody asked: also if it is from before the integration was enabled. */
  is_redelivery: Generated<boolean>;
  /** JSON text, of a delivery to several targets: which of them have got it. */
  progress: string | null;
  next_attempt_at: Generated<Date>;
  claim: string | null;
  claimed_until: Date | null;
  /** The latest attempt once it has ended. */
  started_at: AttemptColumns['started_at'] | null;
  duration_ms: AttemptColumns['duration_ms'] | null;
  status: AttemptColumns['status'];
  error_code: AttemptColumns['error_code'];
  response_body: AttemptColumns['response_body'];
  /** The outcome, an integration event to the public API: null until the first attempt has ended. */
  outcome_id: number | null;
  /** 1, 2, 3 ... within the integration, without a gap. */
  position: number | null;
  outcome: 'success' | 'failed' | 'successWithErrors' | null;
  state_details: string | null;
  /** JSON text. */
  details: string | null;
  /** The body that was sent is the event as it is stored; it is not stored among the details. */
  is_body_event: Generated<boolean>;
  outcome_created_at: Date | null;
}

/** Attempts before the latest. */
export interface DeliveryAttemptsTable extends AttemptColumns {
  integration_id: number;
  event_id: number;
  number: number;
}

/** One row: up to where RECORDED has been taken. */
export interface IntakeTable {
  incarnation: string | null;
  last_sequence: number;
  /** The highest public id that has been taken. */
  last_event_id: Generated<number>;
  /** Up to this id deliveries have been swept, so that what a replay brings from before it is not new. */
  pruned_event_id: Generated<number>;
}

/** Ranges of public ids that RECORDED did not bring, or that an operator wants looked at again; both ends included. */
export interface MissedEventsTable {
  first_id: number;
  last_id: number;
}

export interface IntegrationsTables extends SharedTables {
  integrations: IntegrationsTable;
  encryption: EncryptionTable;
  handled_events: HandledEventsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  intake: IntakeTable;
  missed_events: MissedEventsTable;
}
