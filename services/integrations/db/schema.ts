import type { Generated, GeneratedAlways, SharedTables } from '@yardarm/shared/db';
import type { DeliveryState } from '../deliveries/delivery.ts';

export interface IntegrationsTable {
  id: Generated<number>;
  provider: string;
  description: string | null;
  enabled: boolean;
  /** Encrypted JSON text: see @yardarm/shared/encryption. */
  parameters: string;
  /** The id of the encryption key; null for plain text. */
  parameters_key: string | null;
  events: string[];
  projects: string[];
  environments: string[];
  /** False from a change of its parameters without READ_LOGS, until an actor with it saves it without masks. */
  may_send_events_of_people: Generated<boolean>;
  /** The head of the log when the integration was created or enabled again. It receives later events only. */
  from_event_id: number;
  /** Each change increments it, so that a settlement recognizes an attempt that began before the change. */
  version: Generated<number>;
  /** The state of the circuit is explained in deliveries/circuit.ts. */
  failures: Generated<number>;
  failing_since: Date | null;
  paused_until: Date | null;
  /** The newest event that intake had handled when the filters changed. */
  filtered_since_event_id: Generated<number>;
  /** Null for one from before the column. */
  created_at: Generated<Date | null>;
  /** A deleted integration is hidden; the retention sweeps its rows. */
  deleted_at: Date | null;
}

/** One row with the id of the current encryption key. */
export interface EncryptionTable {
  key_id: string | null;
}

/** Events that at least one integration receives, each stored once. */
export interface HandledEventsTable {
  id: number;
  /** The public shape as JSON text, as it is sent. */
  event: string;
  traceparent: string | null;
  /** The epoch of the database when it took the event in. */
  epoch: string | null;
  handled_at: Generated<Date>;
}

interface AttemptColumns {
  started_at: Date;
  duration_ms: number;
  status: number | null;
  error_code: string | null;
  response_body: string | null;
}

/** The states of a delivery are explained in deliveries/delivery.ts. */
export interface DeliveriesTable {
  integration_id: number;
  event_id: number;
  /** A hash of the flag's name; null without an order. Two flags with the same hash only wait for each other. */
  ordering_key: number | null;
  state: Generated<DeliveryState>;
  /** The state is pending, sending or waiting. Generated, so that no index names `state`, which a claim changes. */
  is_unfinished: GeneratedAlways<boolean>;
  /** The number of attempts that have begun, which is the number of the latest attempt. */
  attempts: Generated<number>;
  /** The value of `attempts` when the schedule of retries last began. */
  scheduled_from: Generated<number>;
  /** Redelivery was requested, so the delivery is sent even if its event precedes `from_event_id`. */
  is_redelivery: Generated<boolean>;
  /** JSON text: the targets that have received the message, for a delivery to several targets. */
  progress: string | null;
  next_attempt_at: Generated<Date>;
  claim: string | null;
  claimed_until: Date | null;
  /** The latest attempt, once it has ended. */
  started_at: AttemptColumns['started_at'] | null;
  duration_ms: AttemptColumns['duration_ms'] | null;
  status: AttemptColumns['status'];
  error_code: AttemptColumns['error_code'];
  response_body: AttemptColumns['response_body'];
  /** The outcome, which the public API calls an integration event; null until the first attempt has ended. */
  outcome_id: number | null;
  /** 1, 2, 3 ... within the integration, without gaps. */
  position: number | null;
  outcome: 'success' | 'failed' | 'successWithErrors' | null;
  state_details: string | null;
  /** What was sent and what was answered, as the text of JSON. */
  details: string | null;
  /** The sent body equals the stored event, so `details` does not repeat it. */
  is_body_event: Generated<boolean>;
  outcome_created_at: Date | null;
}

export interface DeliveryAttemptsTable extends AttemptColumns {
  integration_id: number;
  event_id: number;
  number: number;
}

export interface IntakeTable {
  /** The highest public id that intake has handled. */
  last_event_id: Generated<number>;
  /** Deliveries up to this id may have been swept, so a replay creates none for these events. */
  pruned_event_id: Generated<number>;
}

/** Ranges of public ids, both ends included, that an operator replays. */
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
