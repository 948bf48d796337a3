import { aborted } from 'node:util';
import { type Bus, eventPace } from '@yardarm/shared/bus';
import type { RecordedEvent } from '@yardarm/shared/contracts/events';
import { type Database, type Leadership, LeaseLostError } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { deadLetterCount, missedMessages } from '../metrics.ts';
import { recordBatch } from './record-batch.ts';
import { findPosition, makePartitionsAhead, type RecorderPosition } from './recordings.repo.ts';

/**
 * Messages in one transaction. The cost of a transaction is spread over so many that it no longer shows; a
 * batch of ordinary events is then half a megabyte and some tens of milliseconds, well within every timeout.
 */
const maxBatch = 500;

/** When fewer ids than this are left in the partitions, more are made: half an hour even at 500 events a second. */
const idsAhead = 1_000_000;

/**
 * Reads EVENTS in stream order and records it, until the signal of the leadership aborts.
 *
 *   reading -> recording -> reading …     a batch was committed: position, log, inbox and counters moved as one
 *   recording -> from the position again  it failed: nothing of it is there; the bus asks for the position anew
 *   recording -> over                     LeaseLostError: another replica records; the leadership ends
 */
export async function record(options: {
  db: Database<EventsTables>;
  bus: Bus;
  log: Logger;
  leadership: Leadership;
  /** Called with what is new in the log, when something is. */
  onRecorded(events: readonly RecordedEvent[]): void;
}): Promise<void> {
  const { db, bus, log, leadership, onRecorded } = options;
  const { epoch, fence, signal } = leadership;
  let expected: RecorderPosition = { incarnation: null, lastSequence: 0, lastId: 0, chain: { id: 0, hash: '' } };
  let firstIdWithoutPartition = 0;

  async function partitionsAhead(): Promise<void> {
    if (expected.lastId + idsAhead < firstIdWithoutPartition) return;
    try {
      firstIdWithoutPartition = await makePartitionsAhead(db);
    } catch (error) {
      if (expected.lastId + maxBatch >= firstIdWithoutPartition) throw error;
      log.error({ err: error, firstIdWithoutPartition }, 'no new partition of the log; recording ends at that id');
    }
  }

  const reading = bus.read(
    {
      stream: 'EVENTS',
      maxBatch,
      pace: eventPace,
      async from() {
        await bus.ensureStreams(['EVENTS']);
        expected = await findPosition(db);
        return { incarnation: expected.incarnation, afterSequence: expected.lastSequence };
      },
    },
    async (batch) => {
      await partitionsAhead();
      reportMissed(expected, batch.incarnation, batch.messages[0]!.sequence, log);
      try {
        const { position, events, deadLetters } = await recordBatch({ db, epoch, fence }, expected, batch);
        expected = position;
        if (events.length > 0) onRecorded(events);
        for (const { message, reason } of deadLetters) {
          log.error(
            { sequence: message.sequence, subject: message.subject, reason },
            'a message of EVENTS is no event',
          );
          deadLetterCount.inc();
        }
      } catch (error) {
        if (error instanceof LeaseLostError) leadership.end();
        throw error;
      }
    },
  );
  await aborted(signal, signal);
  await reading.stop();
}

/** Within one incarnation every sequence is a message: a jump is messages that the stream dropped before they were recorded. */
function reportMissed(expected: RecorderPosition, incarnation: string, first: number, log: Logger): void {
  const missed = first - expected.lastSequence - 1;
  if (expected.incarnation !== incarnation || missed <= 0) return;
  log.error({ missed, from: expected.lastSequence + 1 }, 'EVENTS dropped messages unrecorded: replay the outboxes');
  missedMessages.inc(missed);
}
