import type { Database } from '@yardarm/shared/db';
import { startLease } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../../services/events/db/schema.ts';
import { recordBatch } from '../../services/events/recording/record-batch.ts';
import { makePartitionsAhead, readPosition } from '../../services/events/recording/recordings.repo.ts';
import { generatedEvent } from './generated-events.ts';

/** The recorder's own. */
const batchSize = 500;

/**
 * Fills an empty log with the first `count` generated events by the recorder's own code, so that all that is kept beside the log is as
 * it would be: ids, counters, hashes, partitions. Nothing else may record meanwhile. `db` is the login of the events service.
 */
export async function fillLog(db: Database<EventsTables>, log: Logger, count: number): Promise<void> {
  const lease = startLease({ db, name: 'recorder', log });
  try {
    const { epoch } = await lease.whenHeld(AbortSignal.timeout(30_000));
    let position = await readPosition(db);
    for (let first = position.lastId + 1; first <= count; first += batchSize) {
      if ((first - 1) % 100_000 === 0) await makePartitionsAhead(db);
      const messages = Array.from({ length: Math.min(batchSize, count - first + 1) }, (_, index) => ({
        sequence: first + index,
        subject: 'generated',
        msgId: null,
        payload: generatedEvent(first + index),
      }));
      ({ position } = await recordBatch({ db, lease, epoch }, position, { incarnation: 'generated', messages }));
    }
  } finally {
    await lease.stop();
  }
}
