import type { Generated } from 'kysely';

/** Events to publish, and published events kept for a replay. appendEvent inserts the rows, the relay marks them. */
export interface OutboxTable {
  id: Generated<number>;
  event_id: string;
  type: string;
  ordering_key: string;
  /** The event as JSON without createdAt, which the column `created_at` holds. */
  payload: string;
  traceparent: string | null;
  created_at: Generated<Date>;
  source_sequence: number | null;
  published_at: Date | null;
}

/** One row: the last `source_sequence` assigned, and the incarnation of the stream that `published_at` refers to. */
export interface OutboxStreamTable {
  id: Generated<number>;
  last_source_sequence: Generated<number>;
  incarnation: string | null;
}

export interface InboxTable {
  consumer: string;
  event_id: string;
  received_at: Generated<Date>;
}

export interface LeaseTable {
  name: string;
  epoch: number;
  holder: string | null;
  expires_at: Date;
}

/** The restores of the database; see restores.ts. */
export interface RestoresTable {
  number: Generated<number>;
  epoch: string;
  restored_at: Generated<Date>;
}

/** The tables of this package in the schema of a service, as far as the service's migrations created them. */
export interface SharedTables {
  outbox: OutboxTable;
  outbox_stream: OutboxStreamTable;
  inbox: InboxTable;
  lease: LeaseTable;
  restores: RestoresTable;
}
