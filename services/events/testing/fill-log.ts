import { eventSubject, type PublishedEvent } from '@yardarm/shared/contracts/events';
import { createDatabase, startLease } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { recordBatch } from '../recording/record-batch.ts';
import { findPosition, makePartitionsAhead } from '../recording/recordings.repo.ts';

/** The same as the recorder's `maxBatch`. */
const batchSize = 500;

/**
 * Fills an empty log up to the id `count` with the recorder's own code. Ids, counters, hashes and partitions are then
 * as in a recorded log. `eventOf` makes the event of an id. `url` is the service's login. No other recorder may run.
 */
export async function fillLog(
  url: string,
  log: Logger,
  count: number,
  eventOf: (id: number) => PublishedEvent,
): Promise<void> {
  const db = createDatabase<EventsTables>({ url, schema: 'events', log });
  const lease = startLease({ db, name: 'recorder', log });
  try {
    const { epoch } = await lease.whenOwned(AbortSignal.timeout(30_000));
    const recorder = { db, epoch, fence: lease.fence(epoch) };
    let position = await findPosition(db);
    for (let first = position.lastId + 1; first <= count; first += batchSize) {
      if ((first - 1) % 100_000 === 0) await makePartitionsAhead(db);
      const messages = Array.from({ length: Math.min(batchSize, count - first + 1) }, (_, index) => {
        const payload = eventOf(first + index);
        return { sequence: first + index, subject: eventSubject(payload), msgId: null, payload };
      });
      ({ position } = await recordBatch(recorder, position, { incarnation: 'generated', messages }));
    }
  } finally {
    await lease.stop();
    await db.close();
  }
}
