/** What is asked of the log behind an id: events in the order of the log, filtered. */
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

/** Ids that one look goes over at most, so that a filter which finds nothing costs milliseconds and not the whole log at once. */
const idsInOneLook = 50_000;

/**
 * The ids to look at: behind what was asked for, or behind what retention has dropped, up to what was asked for, the end of the log,
 * or as far as one look goes.
 */
export function lookOf({ after, upTo }: TailQuery, droppedUpTo: number, head: number): { after: number; upTo: number } {
  const from = Math.max(after, droppedUpTo);
  return { after: from, upTo: Math.max(from, Math.min(from + idsInOneLook, upTo ?? head, head)) };
}
