import type { BusMessage } from '@yardarm/shared/bus';
import type { Database, Kysely } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { SignalsTables } from '../db/schema.ts';
import { deadLetterCount, storedCount } from '../metrics.ts';
import type { Incarnations } from './incarnations.ts';
import { jsonText, readSignal, type StoredSignal } from './signal.ts';
import { insertDeadLetter } from './signals.repo.ts';
import { storeSignals } from './store-signals.ts';

/** Stores a batch of SIGNALS, which the caller then acknowledges. A message that is no signal becomes a dead letter. */
export async function storeMessages(
  { db, log, incarnations }: { db: Database<SignalsTables>; log: Logger; incarnations: Incarnations },
  messages: readonly BusMessage[],
): Promise<void> {
  const signals: StoredSignal[] = [];
  for (const message of messages) {
    const read = readSignal(message, await incarnations.of(message));
    if ('signal' in read) signals.push(read.signal);
    else {
      await storeDeadLetter(db.kysely, message, read.fault);
      reportDeadLetter(log, message, read.fault);
    }
  }
  storedCount.inc(await storeSignals(db.kysely, signals));
}

/** Keeps a message that is no signal, once. */
export async function storeDeadLetter(db: Kysely<SignalsTables>, message: BusMessage, reason: string): Promise<void> {
  const { sequence, publishedAt, subject } = message;
  const payload = jsonText(message.payload) ?? '';
  await insertDeadLetter(db, { sequence, publishedAt, subject, payload, reason });
}

/** Counts and logs a dead letter, after it is committed. */
export function reportDeadLetter(log: Logger, { sequence, subject }: BusMessage, reason: string): void {
  deadLetterCount.inc();
  log.error({ sequence, subject, reason }, 'a message of SIGNALS is no signal; it is stored in signals_set_aside');
}
