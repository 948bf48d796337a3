import type { ColumnType, Generated, SharedTables } from '@yardarm/shared/db';

/** Writes pass JSON text, which Postgres stores unchanged. Reads return the parsed value. */
type Json<T> = ColumnType<T, string | null, never>;

/** The log. Rows are inserted and read, never changed. */
export interface EventsTable {
  id: number;
  event_id: string;
  /** Set by the recorder. A recorder of the release before leaves it to the column's default. */
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
  /** Null when a version without the chain recorded the event. */
  hash: string | null;
}

/** The anchors of the chain; see chain/chain.ts. Rows are inserted and read, never changed. */
export interface ChainAnchorsTable {
  after_id: number;
  hash: string;
  reason: 'beginning' | 'retention';
  anchored_at: Generated<Date>;
}

/**
 * Every event id that was ever recorded. Rows outlive the partitions of the log, and none is deleted, since the time of
 * a repetition has no bound: an outbox keeps a row that is not marked as published for ever. A service that is killed
 * between the publication and the mark and returns after a year sends the event again. So does a restored outbox. The
 * event would be recorded as a new one, and integrations would deliver it again.
 *
 * A million takes 92 MB: 52 MB of rows and 40 MB of the index, measured with Postgres 15.
 */
export interface RecordedIdsTable {
  event_id: string;
  recorded_at: Generated<Date>;
}

/** Messages of EVENTS that are no events, or that Postgres cannot store. */
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

/** The number of events in the log: in all (`total`, with an empty name), per type, per project and per flag. */
export interface EventCountersTable {
  kind: 'total' | 'type' | 'project' | 'feature';
  name: string;
  total: number;
}

/** The highest number that arrived from a source, and the missing numbers below it. */
export interface SourceNumbersTable {
  source: string;
  highest: number;
  gaps: ColumnType<{ first: number; last: number; since: string }[], string, string>;
}

/** One row: the position in EVENTS up to which it is recorded, and the highest public id. */
export interface RecorderPositionTable {
  incarnation: string | null;
  last_sequence: number;
  last_id: number;
  /** The newest event with a hash; `chain_hash` is that hash. */
  chain_id: Generated<number>;
  chain_hash: Generated<string>;
  moved_at: ColumnType<Date, never, Date>;
}

export interface EventsTables extends SharedTables {
  events: EventsTable;
  recorded_ids: RecordedIdsTable;
  rejected_messages: DeadLettersTable;
  event_counters: EventCountersTable;
  recorder_position: RecorderPositionTable;
  chain_anchors: ChainAnchorsTable;
  source_numbers: SourceNumbersTable;
}
