import { ConfigError } from '../config/index.ts';

/**
 * EVENTS carries the id of the system whose database has the events. Two systems with one prefix on one NATS would
 * share requests and streams, and mix their data. A process with a database therefore compares the ids. Its states:
 *
 *   unknown     Its database does not answer, so it does not know its own id. It uses no stream and refuses requests.
 *   uncompared  It knows its id, and JetStream does not answer, or EVENTS has no id yet. It serves, and compares again
 *               every 5 s. At its start it first waits up to `claimWaitMs` for an id.
 *   ours        EVENTS had its id at the last check, which is at most 5 s old while JetStream answers.
 *   other       EVENTS has another id. The process ends.
 *
 * The states of EVENTS, and who changes them:
 *
 *   missing     Each system creates the stream with its id. The server accepts one creation; the other systems get an
 *               error and find the id of the first.
 *   no id       An earlier version created the stream. The service events, which alone may update it, writes the id,
 *               waits for `claimSettleMs` and reads the description again. Updates of NATS are not conditional: of two
 *               systems that find no id, the later writer wins. Only a system that has found no id writes, so the id no
 *               longer changes once the last of them has written. A process may serve before that: one that finds its
 *               id before the other system writes, or that waits while the other is paused between its read and its
 *               write. It finds the other id at its next check, and ends. One of the last writer ends too if it reads
 *               the id of the other in between. While events is still of an earlier version, the stream stays without
 *               an id.
 *   an id       No system changes it. An update by an earlier version keeps it, because an update changes only the
 *               fields that it names. If such an update races with a claim and removes the id, the next check claims
 *               the stream again.
 */
export interface SystemClaim {
  /** The id in the database of this process. Throws `unavailable` while the database does not answer. */
  id(): Promise<string>;
  /** Whether this process gives the stream its id if it has none. */
  claims: boolean;
  /** Called when a running process may not use this NATS any more. It has to end. At the start, the error is thrown. */
  onRefused(error: ConfigError): void;
}

/** Longer than a system takes between its read and its write of the description. */
export const claimSettleMs = 1_000;
/** The services of a system start together. In this time events has started and claimed the stream. */
export const claimWaitMs = 5_000;
/** Soon enough for a start, and few requests. */
export const claimPollMs = 200;

const pattern = /\bYardarm system ([0-9a-f-]{36})\b/;

/** The id in the description of a stream, or undefined. */
export function systemIn(description: string | undefined): string | undefined {
  return pattern.exec(description ?? '')?.[1];
}

/** The description with the id. The text of an operator stays in front of it. */
export function describeSystem(id: string, description = ''): string {
  return description === '' ? `Yardarm system ${id}` : `${description} (Yardarm system ${id})`;
}

/** Another system uses this NATS under the same prefix. */
export class OtherSystemError extends ConfigError {
  constructor(prefix: string, ours: string, found: string) {
    super(
      `Another Yardarm, the system ${found}, uses the NATS of NATS_URL with YARDARM_PREFIX "${prefix}", and this is the ` +
        `system ${ours}: set YARDARM_PREFIX to one that no other system on this NATS has, or NATS_URL to another NATS.`,
    );
  }
}
