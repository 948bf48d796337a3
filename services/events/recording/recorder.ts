import { aborted } from 'node:util';
import { type Bus, eventPace } from '@yardarm/shared/bus';
import type { RecordedEvent } from '@yardarm/shared/contracts/events';
import { type Database, type Leadership, LeaseLostError } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { missedMessages, rejectedMessages } from '../metrics.ts';
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
  let believed: RecorderPosition = { incarnation: null, lastSequence: 0, lastId: 0, chain: { id: 0, hash: '' } };
  let firstIdWithoutPartition = 0;

  async function partitionsAhead(): Promise<void> {
    if (believed.lastId + idsAhead < firstIdWithoutPartition) return;
    try {
      firstIdWithoutPartition = await makePartitionsAhead(db);
    } catch (error) {
      if (believed.lastId + maxBatch >= firstIdWithoutPartition) throw error;
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
        believed = await findPosition(db);
        return { incarnation: believed.incarnation, afterSequence: believed.lastSequence };
      },
    },
    async (batch) => {
      await partitionsAhead();
      tellMissed(believed, batch.incarnation, batch.messages[0]!.sequence, log);
      try {
        const { position, events, rejections } = await recordBatch({ db, epoch, fence }, believed, batch);
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
        if (error instanceof LeaseLostError) leadership.end();
        throw error;
      }
    },
  );
  await aborted(signal, signal);
  await reading.stop();
}

/** Within one incarnation every sequence is a message: a jump is messages that the stream dropped before they were recorded. */
function tellMissed(believed: RecorderPosition, incarnation: string, first: number, log: Logger): void {
  const missed = first - believed.lastSequence - 1;
  if (believed.incarnation !== incarnation || missed <= 0) return;
  log.error({ missed, from: believed.lastSequence + 1 }, 'EVENTS dropped messages unrecorded: replay the outboxes');
  missedMessages.inc(missed);
}
