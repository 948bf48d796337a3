/**
 * A key that a sender chose for a signal, so that it can send it again without a second signal. States, per token:
 *
 *   free     The token has not sent the key, or not in the last `keptHours`. A claim stores the hash of the body, the
 *            signal's id and its createdAt.
 *   claimed  A claim gets what is stored, which never changes. Its gateway compares the bodies.
 *
 * The claim is committed before the signal is published. If the gateway dies in between, the sender's next attempt
 * finds the id and publishes the signal. Two attempts publish it twice: the stream drops the second message, and the
 * primary key of signals the row. Claims that race are decided by the primary key of the keys.
 */
export interface StoredKey {
  id: number;
  /** When the signal was accepted, in milliseconds since 1970. */
  createdAt: number;
  bodyHash: string;
}

/** Senders retry for hours at most. */
export const keptHours = 24;
