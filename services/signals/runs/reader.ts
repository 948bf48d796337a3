import { countDropped, isLost, type Reading, type StreamInfo, type StreamPosition } from '@yardarm/shared/bus';
import { type Leadership, LeaseLostError } from '@yardarm/shared/db';
import { WakeUp } from '@yardarm/shared/waiting';
import { createFinder, type FinderOptions } from './find-stored.ts';
import { findPosition } from './positions.repo.ts';
import { countUnfinished } from './runs.repo.ts';
import { findSignalsAfter } from './stored-signals.repo.ts';
import { type SignalBatch, takeSignals } from './take-signals.ts';

/** A hundred signals of 100 kB take 10 MB. More in one transaction would only delay the first run of the batch. */
const maxBatch = 100;

/** The rows of a backlog that executes for minutes. Further signals wait in the stream, which keeps them for days. */
const maxUnfinished = 1_000;

/** The executor wakes the reader. The poll is for runs that another replica finished before. */
const roomPollMs = 1_000;

export interface ReaderOptions extends FinderOptions {
  endpointId: number;
  /** Called after the commit of new runs. */
  onRuns(): void;
}

export interface RunReader {
  reading: Reading;
  /** Runs have finished. */
  wake(): void;
}

/** The subject of an endpoint's signals. */
export const subjectOf = (endpointId: number): string => `signal.${endpointId}`;

/**
 * Reads the signals of one endpoint in the order of SIGNALS, from a position in Postgres.
 *
 *   opening    The position is read. If SIGNALS cannot continue it, stored signals are taken first.
 *   reading    Waits for messages behind the position.
 *   waiting    The endpoint has `maxUnfinished` unfinished runs. Messages wait in the stream.
 *   finding    Messages came, without payloads. Waits until consumers have stored their signals (find-stored.ts).
 *   taking     One transaction inserts the runs of stored signals and moves the position. Signals whose filters take
 *              long are taken in several.
 *   stopped    The leadership has ended.
 *
 * Invariants: every signal up to the position is stored, and has a run of each set that it matched. No signal behind it
 * has a run. The position moves only from the expected one, in a transaction that holds the lease. After any error the
 * reader returns to opening.
 *
 * SIGNALS cannot continue a position of another incarnation, one before its first message (its limits have dropped
 * messages), or one beyond its end (the server has lost its newest messages). Consumers may have stored signals behind
 * the position before that. These rows have the incarnation and sequence of their messages, so they are taken in their
 * order. Then the reader continues with the messages that the stream has. One that was taken before makes no second
 * run, because set and signal are unique.
 */
export function readSignals(options: ReaderOptions, leadership: Leadership): RunReader {
  const { db, bus, endpointId, onRuns } = options;
  const { signal } = leadership;
  const room = new WakeUp();
  let expected: StreamPosition;

  async function waitForRoom(): Promise<void> {
    while ((await countUnfinished(db.kysely, endpointId, maxUnfinished)) >= maxUnfinished && !signal.aborted) {
      await room.wait(roomPollMs, signal);
    }
    signal.throwIfAborted();
  }

  async function take({ signals, position }: SignalBatch): Promise<void> {
    try {
      let rest = signals;
      do {
        const taken = await takeSignals(options, leadership, expected, { signals: rest, position });
        ({ rest, position: expected } = taken);
        if (taken.runs > 0) onRuns();
      } while (rest.length > 0);
    } catch (error) {
      if (error instanceof LeaseLostError) leadership.end();
      throw error;
    }
  }

  async function open(): Promise<StreamPosition> {
    await bus.ensureStreams(['SIGNALS']);
    const position = await findPosition(db.kysely, endpointId);
    if (position === undefined) throw new Error(`endpoint ${endpointId} has no position`);
    expected = position;
    const info = await bus.streamInfo('SIGNALS');
    if (isLost(position, info) || countDropped(position, info) > 0) await takeStored(info);
    return expected;
  }

  /** Takes the stored signals behind the position that the stream does not have any more. */
  async function takeStored(info: StreamInfo): Promise<void> {
    const { incarnation } = expected;
    const before = isLost(expected, info) ? null : info.firstSequence;
    for (;;) {
      const range = { endpointId, incarnation, after: expected.lastSequence, before, limit: maxBatch };
      const signals = await findSignalsAfter(db.kysely, range);
      const last = signals.at(-1);
      if (last === undefined) break;
      const position = { incarnation, lastSequence: last.streamSequence };
      await waitForRoom();
      await take({
        signals: signals.map((each) => ({ ...each, sequence: each.streamSequence, traceparent: null })),
        position,
      });
    }
    // Else an endpoint without signals would look for them at each opening.
    const lastSequence = info.firstSequence - 1;
    if (before !== null) await take({ signals: [], position: { incarnation, lastSequence } });
  }

  const findStored = createFinder(options);
  const reading = bus.read(
    { stream: 'SIGNALS', filter: subjectOf(endpointId), headersOnly: true, maxBatch, from: open },
    async (headers) => {
      await waitForRoom();
      const lastSequence = headers.messages.at(-1)!.sequence;
      const signals = await findStored(headers, signal);
      await take({ signals, position: { incarnation: headers.incarnation, lastSequence } });
    },
  );
  signal.addEventListener('abort', () => void reading.stop(), { once: true });
  return { reading, wake: () => room.wake() };
}
