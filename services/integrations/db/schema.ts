import type { Generated, SharedTables } from '@yardarm/shared/db';
import type { DeliveryState } from '../deliveries/delivery.ts';

export interface IntegrationsTable {
  id: Generated<number>;
  provider: string;
  description: string | null;
  enabled: boolean;
  /** JSON text; written and read by integrations.repo.ts alone. */
  parameters: string;
  events: string[];
  projects: string[];
  environments: string[];
  /** The log's head when it was made or enabled again; it gets what comes after. */
  from_event_id: number;
  /** Raised by each change, so that what was begun under an older one can be told. */
  version: Generated<number>;
  /** How many outcomes it has had; the position of the latest. */
  outcome_count: Generated<number>;
}

/** Events that some integration gets, once each however many get them. */
export interface HandledEventsTable {
  id: number;
  /** The public shape as JSON text, as it is sent. */
  event: string;
  traceparent: string | null;
}

/** See deliveries/delivery.ts. */
export interface DeliveriesTable {
  id: Generated<number>;
  integration_id: number;
  event_id: number;
  /** A hash of the flag's name; null where no order is promised. Two flags of one hash wait for each other, no more. */
  ordering_key: number | null;
  state: Generated<DeliveryState>;
  attempts: Generated<number>;
  next_attempt_at: Generated<Date>;
  claim: string | null;
  claimed_until: Date | null;
  outcome_id: number | null;
}

export interface DeliveryAttemptsTable {
  delivery_id: number;
  number: number;
  started_at: Date;
  duration_ms: number;
  status: number | null;
  error_code: string | null;
  response_body: string | null;
}

/** Integration events, as the public API calls them. */
export interface OutcomesTable {
  id: Generated<number>;
  integration_id: number;
  /** 1, 2, 3 ... within the integration, without a gap. */
  position: number;
  event_id: number;
  state: 'success' | 'failed' | 'successWithErrors';
  state_details: string;
  /** JSON text. */
  details: string;
  created_at: Generated<Date>;
}

/** One row: up to where RECORDED has been taken. */
export interface IntakeTable {
  incarnation: string | null;
  last_sequence: number;
}

export interface IntegrationsTables extends SharedTables {
  integrations: IntegrationsTable;
  handled_events: HandledEventsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  outcomes: OutcomesTable;
  intake: IntakeTable;
}
