import type { Generated } from 'kysely';

/** What happened, waiting to be published or kept for a replay. Written by appendEvent, marked by the relay. */
export interface OutboxTable {
  id: Generated<number>;
  event_id: string;
  type: string;
  ordering_key: string;
  /** The event as JSON but for createdAt, which the database's clock gives. */
  payload: string;
  traceparent: string | null;
  created_at: Generated<Date>;
  source_sequence: number | null;
  published_at: Date | null;
}

/** One row: the last dense number given, and the incarnation of the stream that `published_at` speaks of. */
export interface OutboxStreamTable {
  id: Generated<number>;
  last_source_sequence: Generated<number>;
  incarnation: string | null;
}

/** Events a consumer has seen. */
export interface InboxTable {
  consumer: string;
  event_id: string;
  received_at: Generated<Date>;
}

/** See lease.ts. */
export interface LeaseTable {
  name: string;
  epoch: number;
  holder: string | null;
  expires_at: Date;
}

/** Tables that this package reads and writes in the schema of a service, as far as the service's migrations made them. */
export interface SharedTables {
  outbox: OutboxTable;
  outbox_stream: OutboxStreamTable;
  inbox: InboxTable;
  lease: LeaseTable;
}
