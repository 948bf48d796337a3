import type { StreamInfo } from '@nats-io/jetstream';
import { ConfigError } from '../config/index.ts';
import { coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { pause } from '../waiting/index.ts';

/**
 * EVENTS carries the id of the system whose database has the events. Two systems with one prefix on one NATS would
 * share requests and streams, and mix their data. A process with a database therefore compares the ids. Its states:
 *
 *   unknown     Its database does not answer, so it does not know its own id. It uses no stream and refuses requests.
 *   uncompared  It knows its id, and JetStream does not answer, or EVENTS has no id yet. It serves, and compares again
 *               every 5 s. At its start it first waits up to `idWaitMs` for an id.
 *   ours        EVENTS had its id at the last check, which is at most 5 s old while JetStream answers.
 *   other       EVENTS has another id. It refuses requests, and ends.
 *
 * The states of EVENTS, and who changes them:
 *
 *   missing     Each system creates the stream with its id. The server accepts one creation; the other systems get an
 *               error and find the id of the first.
 *   no id       An earlier version created the stream. The service events, which alone may update it, writes the id,
 *               waits for `idSettleMs` and reads the description again. Updates of NATS are not conditional: of two
 *               systems that find no id, the later writer wins. Only a system that has found no id writes, so the id no
 *               longer changes once the last of them has written. A process may serve before that: one that finds its
 *               id before the other system writes, or that waits while the other is paused between its read and its
 *               write. It finds the other id at its next check, and ends. One of the last writer ends too if it reads
 *               the id of the other in between. While events is still of an earlier version, the stream stays without
 *               an id.
 *   an id       No system changes it. An update by an earlier version keeps it, because an update changes only the
 *               fields that it names. If such an update races with the write and removes the id, the next check
 *               writes it again.
 */
type State = 'unknown' | 'uncompared' | 'ours' | 'other';

/** What a process with a database knows of its system. */
export interface StreamOwner {
  /** The id in the database of this process. Throws `unavailable` while the database does not answer. */
  id(): Promise<string>;
  /** Whether this process gives the stream its id if it has none. */
  writesId: boolean;
  /** Called when a running process may not use this NATS any more. It has to end. At the start, the error is thrown. */
  onRefused(error: ConfigError): void;
}

/** Longer than a system takes between its read and its write of the description. */
const idSettleMs = 1_000;
/** The services of a system start together. In this time events has started and written the id. */
const idWaitMs = 5_000;
/** Soon enough for a start, and few requests. */
const idPollMs = 200;

/**
 * `ensureOne` makes the stream with the description if it is missing, and calls `compare` before it changes the stream.
 * `describe` changes the description of EVENTS.
 */
interface StreamRequests {
  ensureOne(name: 'EVENTS', description: string, compare: (found: StreamInfo) => Promise<void>): Promise<void>;
  find(name: 'EVENTS'): Promise<StreamInfo | null>;
  describe(description: string): Promise<unknown>;
}

export function createOwnerCheck(
  { prefix, log }: { prefix: string; log: Logger },
  owner: StreamOwner,
  streams: StreamRequests,
) {
  let state: State = 'unknown';

  /** Whether EVENTS has the id. The service events gives it the id if it has none. */
  async function hasId(id: string, info: StreamInfo | null, writesId: boolean): Promise<boolean> {
    const description = info?.config.description;
    const found = systemIn(description);
    if (found !== undefined && found !== id) throw new OtherSystemError(prefix, id, found);
    if (found !== undefined || !writesId) return found !== undefined;
    await streams.describe(describeSystem(id, description));
    await pause(idSettleMs);
    return hasId(id, await streams.find('EVENTS'), false);
  }

  async function compare(): Promise<void> {
    const id = await owner.id();
    try {
      let isOurs = false;
      await streams.ensureOne('EVENTS', describeSystem(id), async (info) => {
        isOurs = await hasId(id, info, owner.writesId);
      });
      state = isOurs ? 'ours' : 'uncompared';
    } catch (error) {
      state = error instanceof OtherSystemError ? 'other' : 'uncompared';
      throw error;
    }
  }

  return {
    isOurs: () => state === 'ours',
    mayServe: () => state === 'ours' || state === 'uncompared',
    /** Ensures EVENTS and compares the ids. When they differ it throws, and the process has to end. */
    async ensureOurs(): Promise<void> {
      await compare().catch((error: unknown) => {
        if (error instanceof ConfigError) owner.onRefused(error);
        throw error;
      });
    },
    /** Compares at the start. Returns when JetStream or the database does not answer; throws when the ids differ. */
    async start(): Promise<void> {
      const end = performance.now() + idWaitMs;
      try {
        for (await compare(); state !== 'ours' && performance.now() < end; await compare()) await pause(idPollMs);
      } catch (error) {
        if (error instanceof ConfigError) throw error;
        log.warn({ err: coerceError(error) }, 'the system ids cannot be compared yet');
      }
    },
  };
}

const pattern = /\bYardarm system ([0-9a-f-]{36})\b/;

/** The id in the description of a stream, or undefined. */
function systemIn(description: string | undefined): string | undefined {
  return pattern.exec(description ?? '')?.[1];
}

/** The description with the id. The text of an operator stays in front of it. */
function describeSystem(id: string, description = ''): string {
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
