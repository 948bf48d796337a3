/** Selects events after the id `after`, up to `upTo`, by id. */
export interface TailQuery {
  type?: string | undefined;
  project?: string | undefined;
  feature?: string | undefined;
  after: number;
  upTo?: number | undefined;
  /** The epoch of the database when `after` was its end. Absent, `after` is taken as it is. */
  epoch?: string | null | undefined;
  limit: number;
  environment?: string | undefined;
  createdFrom?: string | undefined;
  createdTo?: string | undefined;
}

export interface LogEnds {
  head: number;
  /** The last event that retention has dropped; 0 without one. */
  dropped: number;
  /** The lowest last event of the restores since the epoch of the query; null without such a restore. */
  restoredSince: number | null;
  /** The last event of the newest restore; null without one. */
  restored: number | null;
}

/** Ids per read. A filter without matches then costs milliseconds and not a scan of the whole log. */
const maxIdsPerRead = 50_000;

/**
 * The ids that one read covers: after the query's `after` and the dropped events, up to the query's `upTo`, the head of
 * the log or `maxIdsPerRead`. A query with an epoch whose `after` a restore has lost begins behind the restored events.
 */
export function rangeToRead({ after, upTo, epoch }: TailQuery, ends: LogEnds): { after: number; upTo: number } {
  const { head, dropped } = ends;
  const restored = ends.restoredSince ?? (after > head ? ends.restored : null);
  const kept = epoch === undefined ? after : Math.min(after, restored ?? after);
  const from = Math.max(kept, dropped);
  return { after: from, upTo: Math.max(from, Math.min(from + maxIdsPerRead, upTo ?? head, head)) };
}
