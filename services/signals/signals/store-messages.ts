import type { BusMessage } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { SignalsTables } from '../db/schema.ts';
import { deadLetterCount, storedCount } from '../metrics.ts';
import type { Incarnations } from './incarnations.ts';
import { jsonText, readSignal, type StoredSignal } from './signal.ts';
import { insertDeadLetter } from './signals.repo.ts';
import { storeSignals } from './store-signals.ts';

/** Stores a batch of SIGNALS, which the caller then acknowledges. A message that is no signal becomes a dead letter. */
export async function storeMessages(
  { db, log, incarnations }: { db: Database<SignalsTables>; log: Logger; incarnations: Pick<Incarnations, 'of'> },
  messages: readonly BusMessage[],
): Promise<void> {
  const signals: StoredSignal[] = [];
  for (const message of messages) {
    const read = readSignal(message, await incarnations.of(message));
    if ('signal' in read) signals.push(read.signal);
    else {
      const { sequence, publishedAt, subject } = message;
      const payload = jsonText(message.payload) ?? '';
      await insertDeadLetter(db.kysely, { sequence, publishedAt, subject, payload, reason: read.problem });
      deadLetterCount.inc();
      log.error(
        { sequence, subject, reason: read.problem },
        'a message of SIGNALS is no signal; it is stored in signals_set_aside',
      );
    }
  }
  storedCount.inc(await storeSignals(db.kysely, signals));
}
