import type { BusMessage } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { Counter, metrics } from '@yardarm/shared/telemetry';
import type { SignalsTables } from '../db/schema.ts';
import { jsonText, readSignal, type StoredSignal } from './signal.ts';
import { insertDeadLetter, insertSignals } from './signals.repo.ts';

const deadLetterCount = new Counter({
  name: 'yardarm_signals_dead_letters_total',
  help: 'Messages of SIGNALS that are no signals and are kept in signals_set_aside',
  registers: [metrics],
});

/**
 * Stores a batch, which the caller then acknowledges. A message may be delivered again at any time; the signal's id is
 * the key. A message that is no signal becomes a dead letter.
 */
export async function storeSignals(
  db: Database<SignalsTables>,
  log: Logger,
  messages: readonly BusMessage[],
): Promise<void> {
  const signals: StoredSignal[] = [];
  for (const message of messages) {
    const read = readSignal(message.payload);
    if ('signal' in read) signals.push(read.signal);
    else await storeDeadLetter(db, log, message, read.fault);
  }
  if (signals.length > 0) await insertSignals(db.kysely, signals);
}

async function storeDeadLetter(
  db: Database<SignalsTables>,
  log: Logger,
  message: BusMessage,
  reason: string,
): Promise<void> {
  const { sequence, publishedAt, subject } = message;
  const payload = jsonText(message.payload) ?? '';
  await insertDeadLetter(db.kysely, { sequence, publishedAt, subject, payload, reason });
  deadLetterCount.inc();
  log.error({ sequence, subject, reason }, 'a message of SIGNALS is no signal; it is stored in signals_set_aside');
}
