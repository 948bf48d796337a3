import type { ColumnType, Generated, SharedTables } from '@yardarm/shared/db';

/** JSON as text goes in, so that Postgres keeps it as it was written; the value comes out. */
type Json<T> = ColumnType<T, string | null, never>;

/** The log. Inserted and read, never changed. */
export interface EventsTable {
  id: number;
  event_id: string;
  recorded_at: ColumnType<Date, never, never>;
  version: number;
  source: string;
  type: string;
  created_at: ColumnType<Date, string, never>;
  created_by: string;
  created_by_user_id: number | null;
  created_by_username: string;
  environment: string | null;
  project: string | null;
  feature_name: string | null;
  data: Json<Record<string, unknown> | null>;
  pre_data: Json<Record<string, unknown> | null>;
  tags: Json<{ type: string; value: string }[]>;
  request_id: string | null;
  traceparent: string | null;
  search_text: string;
  /** Null for what was recorded by a version that knew no chain. */
  hash: string | null;
}

/** Where the chain of hashes can be taken up; see chain/chain.ts. Inserted and read, never changed. */
export interface ChainAnchorsTable {
  after_id: number;
  hash: string;
  reason: 'beginning' | 'retention';
  anchored_at: Generated<Date>;
}

/** Every event id the log has ever taken; outlives the partitions of the log. */
export interface RecordedIdsTable {
  event_id: string;
  recorded_at: Generated<Date>;
}

/** Messages of EVENTS that are no events. */
export interface DeadLettersTable {
  id: Generated<number>;
  incarnation: string;
  sequence: number;
  subject: string;
  msg_id: string | null;
  reason: string;
  payload: string;
  rejected_at: Generated<Date>;
}

/** How many events the log holds: in all (`total`, with an empty name), of a type, of a project, of a flag. */
export interface EventCountersTable {
  kind: 'total' | 'type' | 'project' | 'feature';
  name: string;
  total: number;
}

/** Up to which of its dense numbers a source's events have arrived, and which are missing. */
export interface SourceNumbersTable {
  source: string;
  highest: number;
  gaps: ColumnType<{ first: number; last: number; since: string }[], string, string>;
}

/** One row: up to where EVENTS is recorded, and the highest public id given. */
export interface RecorderPositionTable {
  incarnation: string | null;
  last_sequence: number;
  last_id: number;
  /** The newest event that carries a hash, and that hash. */
  chain_id: Generated<number>;
  chain_hash: Generated<string>;
  moved_at: ColumnType<Date, never, Date>;
}

/** One row: up to which id the log is published on RECORDED. */
export interface RelayPositionTable {
  incarnation: string | null;
  last_sequence: number;
  last_id: number;
  moved_at: ColumnType<Date, never, Date>;
}

export interface EventsTables extends SharedTables {
  events: EventsTable;
  recorded_ids: RecordedIdsTable;
  rejected_messages: DeadLettersTable;
  event_counters: EventCountersTable;
  recorder_position: RecorderPositionTable;
  relay_position: RelayPositionTable;
  chain_anchors: ChainAnchorsTable;
  source_numbers: SourceNumbersTable;
}
