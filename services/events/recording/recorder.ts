import { type Bus, eventPace } from '@yardarm/shared/bus';
import type { RecordedEvent } from '@yardarm/shared/contracts/events';
import { LeaseLostError } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { missedMessages, rejectedMessages } from '../metrics.ts';
import { type Recorder, recordBatch } from './record-batch.ts';
import { findPosition, makePartitionsAhead, type RecorderPosition } from './recordings.repo.ts';

/**
 * Messages in one transaction. The cost of a transaction is spread over so many that it no longer shows; a
 * batch of ordinary events is then half a megabyte and some tens of milliseconds, well within every timeout.
 */
const maxBatch = 500;

/** When fewer ids than this are left in the partitions, more are made: half an hour even at 500 events a second. */
const idsAhead = 1_000_000;

/** The recorder of one term of the lease. */
export interface Recording {
  stop(): Promise<void>;
}

/**
 * Reads EVENTS in stream order and records it, in the name of one epoch of the lease.
 *
 *   reading -> recording -> reading …     a batch was committed: position, log, inbox and counters moved as one
 *   recording -> from the position again  it failed: nothing of it is there; the bus asks for the position anew
 *   recording -> over                     LeaseLostError: somebody else records; `onLost` ends the term
 */
export function startRecording(
  recorder: Recorder,
  options: {
    bus: Bus;
    log: Logger;
    /** Called with what is new in the log, when something is. */
    onRecorded(events: readonly RecordedEvent[]): void;
    onLost(): void;
  },
): Recording {
  const { bus, log, onRecorded, onLost } = options;
  let believed: RecorderPosition = { incarnation: null, lastSequence: 0, lastId: 0, chain: { id: 0, hash: '' } };
  let firstIdWithoutPartition = 0;

  async function partitionsAhead(): Promise<void> {
    if (believed.lastId + idsAhead < firstIdWithoutPartition) return;
    try {
      firstIdWithoutPartition = await makePartitionsAhead(recorder.db);
    } catch (error) {
      if (believed.lastId + maxBatch >= firstIdWithoutPartition) throw error;
      log.error({ err: error, firstIdWithoutPartition }, 'no new partition of the log; recording ends at that id');
    }
  }

  return bus.read(
    {
      stream: 'EVENTS',
      maxBatch,
      pace: eventPace,
      async from() {
        await bus.ensureStreams(['EVENTS']);
        believed = await findPosition(recorder.db);
        return { incarnation: believed.incarnation, afterSequence: believed.lastSequence };
      },
    },
    async (batch) => {
      await partitionsAhead();
      tellMissed(believed, batch.incarnation, batch.messages[0]!.sequence, log);
      try {
        const { position, events, rejections } = await recordBatch(recorder, believed, batch);
        believed = position;
        if (events.length > 0) onRecorded(events);
        for (const { message, reason } of rejections) {
          log.error(
            { sequence: message.sequence, subject: message.subject, reason },
            'a message of EVENTS is no event',
          );
          rejectedMessages.inc();
        }
      } catch (error) {
        if (error instanceof LeaseLostError) onLost();
        throw error;
      }
    },
  );
}

/** Within one incarnation every sequence is a message: a jump is messages that the stream dropped before they were recorded. */
function tellMissed(believed: RecorderPosition, incarnation: string, first: number, log: Logger): void {
  const missed = first - believed.lastSequence - 1;
  if (believed.incarnation !== incarnation || missed <= 0) return;
  log.error({ missed, from: believed.lastSequence + 1 }, 'EVENTS dropped messages unrecorded: replay the outboxes');
  missedMessages.inc(missed);
}
