import { aborted } from 'node:util';
import { type Bus, beginning, countDropped, eventPace } from '@yardarm/shared/bus';
import { type Database, findEpoch, type Leadership, LeaseLostError } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { Link } from '../chain/chain.ts';
import type { EventsTables } from '../db/schema.ts';
import { deadLetterCount, missedMessages } from '../metrics.ts';
import { recordBatch } from './record-batch.ts';
import { findPosition, makePartitionsAhead, type RecorderPosition } from './recordings.repo.ts';

/**
 * Messages in one transaction. With so many, the cost of the transaction itself is negligible. A batch of ordinary
 * events is half a megabyte and takes some tens of milliseconds, well below every timeout.
 */
const maxBatch = 500;

/** The recorder makes more partitions when fewer ids than this are left: half an hour even at 500 events per second. */
const minIdsAhead = 1_000_000;

/**
 * Reads EVENTS in stream order and records it, until the signal of the leadership aborts.
 *
 *   reading -> recording -> reading …        a batch was committed: position, log, inbox and counters moved together
 *   recording -> reading from the position   the batch failed and wrote nothing; the bus asks for the position again
 *   recording -> ended                       LeaseLostError: another replica records; the leadership ends
 */
export async function record(options: {
  db: Database<EventsTables>;
  bus: Bus;
  log: Logger;
  leadership: Leadership;
  /** Called after each commit that added events, with the new head of the log. */
  onRecorded(head: Link): void;
}): Promise<void> {
  const { db, bus, log, leadership, onRecorded } = options;
  const { epoch, fence, signal } = leadership;
  let expected: RecorderPosition = { ...beginning, lastId: 0, chain: { id: 0, hash: '' } };
  let firstIdWithoutPartition = 0;
  let databaseEpoch: string | null = null;

  async function ensurePartitions(): Promise<void> {
    if (expected.lastId + minIdsAhead < firstIdWithoutPartition) return;
    try {
      firstIdWithoutPartition = await makePartitionsAhead(db);
    } catch (error) {
      if (expected.lastId + maxBatch >= firstIdWithoutPartition) throw error;
      log.error(
        { err: error, firstIdWithoutPartition },
        'a partition of the log could not be created; recording ends at this id',
      );
    }
  }

  const reading = bus.read(
    {
      stream: 'EVENTS',
      maxBatch,
      pace: eventPace,
      async from() {
        databaseEpoch = await findEpoch(db.kysely);
        expected = await findPosition(db);
        return expected;
      },
    },
    async (batch) => {
      await ensurePartitions();
      try {
        const { position, deadLetters } = await recordBatch({ db, epoch, fence, databaseEpoch }, expected, batch);
        reportMissed(expected, batch.incarnation, batch.messages[0]!.sequence, log);
        const hasGrown = position.lastId > expected.lastId;
        expected = position;
        if (hasGrown) onRecorded(position.chain);
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

function reportMissed(expected: RecorderPosition, incarnation: string, firstSequence: number, log: Logger): void {
  const missed = countDropped(expected, { incarnation, firstSequence });
  if (missed === 0) return;
  log.error({ missed, from: expected.lastSequence + 1 }, 'EVENTS dropped messages unrecorded: replay the outboxes');
  missedMessages.inc(missed);
}
