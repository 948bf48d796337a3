import type { BusMessage } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { Counter, metrics } from '@yardarm/shared/telemetry';
import type { SignalsTables } from '../db/schema.ts';
import { jsonText, readSignal, type StoredSignal } from './signal.ts';
import { insertDeadLetters, insertSignals } from './signals.repo.ts';

const deadLetter = new Counter({
  name: 'yardarm_signals_dead_letters_total',
  help: 'Messages of SIGNALS that are no signals and are kept in signals_set_aside',
  registers: [metrics],
});

/**
 * Stores a batch; the caller acknowledges it when this resolves. The same message may come again at any time: the signal's id is the
 * key. A message that is no signal is set aside with its reason, as it would never become one.
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
    else await setMessageAside(db, log, message, read.fault);
  }
  if (signals.length > 0) await insertSignals(db.kysely, signals);
}

async function setMessageAside(
  db: Database<SignalsTables>,
  log: Logger,
  message: BusMessage,
  reason: string,
): Promise<void> {
  const { sequence, publishedAt, subject } = message;
  const payload = jsonText(message.payload) ?? '';
  await insertDeadLetters(db.kysely, { sequence, publishedAt, subject, payload, reason });
  deadLetter.inc();
  log.error({ sequence, subject, reason }, 'a message of SIGNALS is no signal; it lies in signals_set_aside');
}
