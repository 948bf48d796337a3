import { ConcurrencyLimit } from '@yardarm/shared/waiting';

/** Pages of consoles and of the deprecated search. Longer ones have turns of their own, so that these do not wait. */
const maxShort = 100;

/**
 * Of a statement that counts. Postgres compares a text with each position of an event. 2,000 events of 10,000 equal
 * letters and a text of 900 took it 13 s on a busy machine. Without such texts a statement takes a third of this.
 */
export const countLimitMs = 3_000;

/** Which pages are read at once. Callers take turns. */
export interface PageTurns {
  /** By the `limit` of the page. */
  of(limit: number): ConcurrencyLimit;
  /** For searches whose matches must be counted. */
  counts: ConcurrencyLimit;
  /** For numbers and lists that are made of many events, such as those of a project by day. */
  summaries: ConcurrencyLimit;
}

/** A page of the console takes a fraction of this. A caller that reads the whole log gets half of the time. */
const restsFromMs = 1_000;

export function makePageTurns(): PageTurns {
  // A process has ten connections by default; these leave more than half of them to the recorder and to event streams.
  const short = new ConcurrencyLimit(3, 'Too many callers search events.', { restsFromMs });
  // Two at once would not be faster, because they share one CPU: each would take twice as long.
  const long = new ConcurrencyLimit(1, `Too many callers search more than ${maxShort} events.`, { restsFromMs });
  // These read the whole log, with all CPUs that Postgres may use for one. A page of other searches does not wait.
  const counts = new ConcurrencyLimit(2, 'Too many callers search for events that must be counted.', {
    takesMs: countLimitMs,
    // A person who types a text has a first statement as long as the limit without a rest.
    restsFromMs: countLimitMs,
  });
  // One, because the pages of projects that wait for it need the CPUs for what flags knows of them, too.
  const summaries = new ConcurrencyLimit(1, 'Too many callers ask for summaries of many events.', { restsFromMs });
  return {
    counts,
    summaries,
    of: (limit) => (limit > maxShort ? long : short),
  };
}
