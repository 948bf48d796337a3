import { ConfigError } from '../config/index.ts';

/** How a process with a database proves that NATS belongs to its system (system-join.ts). */
export interface SystemClaim {
  /** The id in the database of this process. Throws `unavailable` while the database does not answer. */
  id(): Promise<string>;
  /** Whether this process gives the stream its id if it has none. */
  claims: boolean;
  /** Called when a running process may not use this NATS any more. It has to end. At the start, the error is thrown. */
  onRefused(error: ConfigError): void;
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
