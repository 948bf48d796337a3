/** The times of a gateway that a test may shorten. No behaviour but the wait itself depends on their values. */
export interface Intervals {
  /**
   * How long answers close their connections before the listener closes: some requests of a busy connection, and the
   * next check of a load balancer.
   */
  drainNoticeMs: number;
  /** For the rest of a request head, or the first bytes of a new connection. A lost packet is resent in a second. */
  headTimeoutMs: number;
  /** A lost hint delays a change by at most this time. The request for the revisions has a few hundred bytes. */
  snapshotPollMs: number;
  /**
   * How long a started gateway is not ready while environments are missing. Two attempts to fetch one, of 30 s each:
   * one that is not there after the second cannot be loaded.
   */
  firstLoadMs: number;
}

export const productionIntervals: Readonly<Intervals> = {
  drainNoticeMs: 500,
  headTimeoutMs: 2_000,
  snapshotPollMs: 1_000,
  firstLoadMs: 60_000,
};
