/** Selects events after the id `after`, up to `upTo`, by id. */
export interface TailQuery {
  type?: string | undefined;
  project?: string | undefined;
  feature?: string | undefined;
  after: number;
  upTo?: number | undefined;
  limit: number;
  environment?: string | undefined;
  createdFrom?: string | undefined;
  createdTo?: string | undefined;
}

/** Ids per read. A filter without matches then costs milliseconds and not a scan of the whole log. */
const maxIdsPerRead = 50_000;

/**
 * The ids that one read covers: after the query's `after` and the dropped events, up to the query's `upTo`, the head of
 * the log or `maxIdsPerRead`.
 */
export function rangeToRead(
  { after, upTo }: TailQuery,
  droppedUpTo: number,
  head: number,
): { after: number; upTo: number } {
  const from = Math.max(after, droppedUpTo);
  return { after: from, upTo: Math.max(from, Math.min(from + maxIdsPerRead, upTo ?? head, head)) };
}
